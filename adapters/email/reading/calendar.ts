// Dates as mail programs write them: the names of days and months in their languages, and whether a text begins with
// a date. Only a date at the beginning tells the introduction of a quotation from a sentence about a time.

/** In full, in small letters and without accents. Three letters of one are enough, as programs shorten them. */
const NAMES = `
  thursday january monday february tuesday march saturday june july wednesday september october november
  december sunday friday donnerstag montag dienstag samstag mittwoch oktober dezember sonntag freitag
  jeudi janvier lundi fevrier mardi mars samedi avril juin juillet aout mercredi septembre octobre
  novembre decembre dimanche vendredi jueves enero lunes febrero martes marzo sabado abril mayo junio
  agosto miercoles septiembre octubre noviembre diciembre domingo viernes quinta feira janeiro segunda
  fevereiro terca marco maio junho julho quarta setembro outubro novembro dezembro sexta giovedi gennaio
  lunedi febbraio martedi sabato aprile maggio giugno luglio mercoledi settembre ottobre dicembre domenica
  venerdi donderdag januari maandag dinsdag maart zaterdag mei augustus woensdag zondag vrijdag torsdag
  mandag tisdag lordag augusti onsdag sondag fredag tirsdag marts lørdag søndag desember torstai
  tammikuuta maanantai helmikuuta tiistai maaliskuuta lauantai huhtikuuta toukokuuta kesakuuta heinakuuta
  elokuuta keskiviikko syyskuuta lokakuuta marraskuuta joulukuuta sunnuntai perjantai fimmtudagur
  manudagur þriðjudagur laugardagur miðvikudagur sunnudagur fostudagur czwartek styczen stycznia
  poniedziałek luty lutego wtorek marzec marca sobota kwiecien kwietnia maja czerwiec czerwca lipiec lipca
  sierpien sierpnia sroda wrzesien wrzesnia pazdziernika listopada grudzien grudnia niedziela piatek
  ctvrtek leden ledna pondeli unora utery brezen brezna duben dubna kveten kvetna cervna cervenec cervence
  srpen srpna streda zari rijen rijna listopadu prosinec prosince nedele patek stvrtok januara pondelok
  februara utorok marec aprila juna jula augusta septembra oktobra novembra decembra nedela piatok cetrtek
  ponedeljek torek avgust sreda nedelja petek cetvrtak sijecanj sijecnja ponedjeljak veljaca veljace
  utorak ozujak ozujka subota travanj travnja svibanj svibnja lipanj lipnja srpanj srpnja kolovoza srijeda
  rujan rujna studeni studenoga prosinac prosinca nedjelja petak четвъртък януари понеделник февруари
  вторник събота април маи юни юли сряда септември октомври ноември декември неделя петък четверг январь
  января понедельник февраль февраля марта суббота апрель апреля мая июнь июня июль июля августа среда
  сентябрь сентября октябрь октября ноябрь ноября декабрь декабря воскресенье пятница січень січня
  понеділок лютии лютого вівторок березень березня субота квітень квітня травень травня червень червня
  липень липня серпень серпня середа вересень вересня жовтень жовтня листопада грудень грудня неділя
  пʼятниця csutortok hetfo kedd marcius szombat aprilis majus junius julius augusztus szerda szeptember
  vasarnap pentek joi ianuarie luni februarie martie sambata aprilie iunie iulie miercuri septembrie
  octombrie noiembrie decembrie duminica vineri πεμπτη ιανουαριου δευτερα φεβρουαριου τριτη μαρτιου
  σαββατο απριλιου μαιου ιουνιου ιουλιου αυγουστου τεταρτη σεπτεμβριου οκτωβριου νοεμβριου δεκεμβριου
  κυριακη παρασκευη persembe ocak pazartesi subat salı cumartesi nisan mayıs haziran temmuz agustos
  carsamba eylul ekim kasım aralık יום חמישי ינואר שני פברואר שלישי מרץ שבת אפריל מאי יוני יולי אוגוסט
  רביעי ספטמבר אוקטובר נובמבר דצמבר ראשון שישי الخميس يناير الاثنين فبراير الثلاثاء مارس السبت ابريل مايو
  يونيو يوليو اغسطس الاربعاء سبتمبر اكتوبر نوفمبر ديسمبر الاحد الجمعة thang kamis senin selasa maret sabtu
  agustus rabu minggu jumat dijous gener dilluns dimarts dissabte maig juny juliol dimecres setembre
  desembre diumenge divendres ketvirtadienis sausis sausio pirmadienis vasaris vasario antradienis kovas
  kovo sestadienis balandis balandzio geguzes birzelis birzelio liepa liepos rugpjutis rugpjucio
  treciadienis rugsejis rugsejo spalis spalio lapkritis lapkricio gruodis gruodzio sekmadienis
  penktadienis ceturtdiena janvaris pirmdiena februaris otrdiena sestdiena maijs junijs julijs augusts
  tresdiena septembris oktobris novembris decembris svetdiena piektdiena neljapaev jaanuar esmaspaev
  veebruar teisipaev laupaev aprill juuni juuli kolmapaev oktoober detsember puhapaev reede
`
/** Names that are shortened further, or in another way. */
const SHORT = `
  th thu do mo di sa mi so fr ma mrt za wo zo vr to ti la ke su pe wt sr pt ct po ut cvn cvc st ne pa pi чт пн вт
  сб ср нд пт вс cs pzt cmt ה ב ג ד א ו thg cn dj dl dt ds ag dc dg dv kt pr an tr sk pn
`
/** Words within a date, and between a date and the person quoted. With accents: "às" joins, "as" does not. */
const CONNECTORS = `
  a alle am at das de del den der dia día el em gmt godz het hrs klo kell kl kuupäev las le les lo lúc nachm ngày o ob om
  ora ore plkst pm pukul u uhr um utc v vào vorm w à às в г год году о об р року у час בשעה στις π μ
`

const words = (text: string): string[] => text.split(/\s+/).filter(word => word !== '')

const prefixes = (name: string): string[] =>
  Array.from({ length: Math.max(name.length - 2, 0) }, (_, index) => name.slice(0, index + 3))

const DATE_WORDS = new Set([...words(NAMES).flatMap(prefixes), ...words(SHORT)])
const BETWEEN = new Set(words(CONNECTORS))

/** Small letters alone. */
export const bare = (word: string): string => word.toLowerCase().replace(/[^\p{L}]/gu, '')

/** Whether the word names a day or a month. */
export const isName = (word: string): boolean => DATE_WORDS.has(bare(word.normalize('NFD')))
export const isOfDate = (word: string): boolean =>
  isName(word) ||
  BETWEEN.has(bare(word.normalize('NFC'))) ||
  (word.startsWith(HEBREW_IN) && isName(word.slice(1)))
/** Hebrew writes its "in" together with the name of the month. */
const HEBREW_IN = 'ב'

/** A day, a month and the words that join them: no language has more before the first number. */
const MAX_BEFORE_NUMBER = 5

/** Whether only days, months and joining words stand before its first number. */
export function beginsWithDate(text: string): boolean {
  const words = text.split(/[\s,،、]+/, MAX_BEFORE_NUMBER)
  const at = words.findIndex(word => /^\p{Nd}/u.test(word))
  return at === 0 || (at > 0 && isName(words[0] ?? '') && words.slice(1, at).every(isOfDate))
}
