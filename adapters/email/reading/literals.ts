// Lines that mail programs and gateways put around an answer by themselves. Each is known word for word; only a device
// may name itself, and only by a maker in the list. A line that is not here is the author's own.

const SENT_WITH = new Set(
  [
    'Sent from my mobile device',
    'Sent from my mobile',
    'Sent from my phone',
    'Sent from Mail for Windows',
    'Sent from Mail for Windows 10',
    'Sent from Mail',
    'Sent from Outlook',
    'Sent from Outlook for iOS',
    'Sent from Outlook for Android',
    'Sent from Outlook for Mac',
    'Sent from Outlook Mobile',
    'Get Outlook for iOS',
    'Get Outlook for Android',
    'Get Outlook for Mac',
    'Sent from Yahoo Mail',
    'Sent from Yahoo Mail on Android',
    'Sent from Yahoo Mail for iPhone',
    'Yahoo Mail: Search, Organize, Conquer',
    'Sent from Gmail Mobile',
    'Sent from my Android device with K-9 Mail. Please excuse my brevity.',
    'Sent from my BlackBerry 10 smartphone on the Verizon network.',
    'Sent from Proton Mail',
    'Sent from Proton Mail mobile',
    'Sent from Proton Mail for iOS',
    'Sent from Proton Mail for Android',
    'Sent with Proton Mail secure email.',
    'Sent with ProtonMail Secure Email.',
    'Sent from AOL on Android',
    'Sent from AOL Mobile Mail',
    'Sent from myMail for iOS',
    'Sent from myMail for Android',
    'Sent from Mailbird',
    'Sent from Spark',
    'Sent from TypeApp',
    'Sent via Superhuman',
    'Gesendet von Outlook für iOS',
    'Gesendet von Outlook für Android',
    'Gesendet mit Outlook für iOS',
    'Gesendet von Mail für Windows',
    'Von meinem Mobiltelefon gesendet',
    'Diese Nachricht wurde von meinem Android-Gerät mit GMX Mail gesendet.',
    'Diese Nachricht wurde von meinem Android-Gerät mit WEB.DE Mail gesendet.',
    'Diese Nachricht wurde von meinem Android Mobiltelefon mit GMX Mail gesendet.',
    'Gesendet mit der GMX Mail App',
    'Gesendet mit der WEB.DE Mail App',
    'Gesendet mit der Telekom Mail App',
    'Gesendet von Yahoo Mail auf Android',
    'Mit Proton Mail sicher versendet.',
    'Envoyé à partir de Outlook pour iOS',
    'Envoyé à partir de Outlook pour Android',
    'Envoyé depuis Outlook pour iOS',
    'Envoyé depuis Outlook pour Android',
    'Télécharger Outlook pour iOS',
    'Télécharger Outlook pour Android',
    'Obtenir Outlook pour iOS',
    'Obtenir Outlook pour Android',
    'Envoyé de mon mobile',
    'Envoyé de mon téléphone',
    'Envoyé depuis Yahoo Mail pour Android',
    'Provenance : Courrier pour Windows',
    'Envoyé avec la messagerie sécurisée Proton Mail.',
    'Enviado desde Outlook para iOS',
    'Enviado desde Outlook para Android',
    'Obtener Outlook para iOS',
    'Obtener Outlook para Android',
    'Enviado desde mi teléfono',
    'Enviado desde Correo para Windows',
    'Enviado desde Yahoo Mail para Android',
    'Obter o Outlook para iOS',
    'Obter o Outlook para Android',
    'Enviado do meu celular',
    'Enviado do Yahoo Mail no Android',
    'Inviato da Outlook per iOS',
    'Inviato da Outlook per Android',
    'Scarica Outlook per iOS',
    'Scarica Outlook per Android',
    'Ottieni Outlook per iOS',
    'Ottieni Outlook per Android',
    'Inviato da Libero Mail per Android',
    'Inviato da Posta per Windows',
    'Download Outlook voor iOS',
    'Download Outlook voor Android',
    'Verzonden met Outlook voor iOS',
    'Verzonden vanuit Mail voor Windows',
    'Hämta Outlook för iOS',
    'Hämta Outlook för Android',
    'Hent Outlook til iOS',
    'Hent Outlook for iOS',
    'Pobierz aplikację Outlook dla systemu iOS',
    'Pobierz aplikację Outlook dla systemu Android',
    'Отправлено из мобильной Почты Mail.ru',
    'Отправлено из мобильной Яндекс Почты',
    '获取 Outlook for iOS',
    '获取适用于 iOS 的 Outlook',
    '发自我的手机',
    '発信元: Outlook for iOS',
  ].map(line => fold(line)),
)

/** The words before and after the name of a device. */
const DEVICE: readonly (readonly [string, string])[] = (
  [
    ['Sent from my ', ''],
    ['Sent from an ', ''],
    ['Sent via my ', ''],
    ['Von meinem ', ' gesendet'],
    ['Gesendet von meinem ', ''],
    ['Envoyé de mon ', ''],
    ['Envoyé depuis mon ', ''],
    ['Enviado desde mi ', ''],
    ['Enviado do meu ', ''],
    ['Inviato da ', ''],
    ['Inviato dal mio ', ''],
    ['Verstuurd vanaf mijn ', ''],
    ['Verzonden vanaf mijn ', ''],
    ['Skickat från min ', ''],
    ['Sendt fra min ', ''],
    ['Lähetetty ', 'sta'],
    ['Wysłane z ', 'a'],
    ['Wysłane z mojego ', ''],
    ['Отправлено с ', ''],
    ['Odesláno z mého ', ''],
    ['发自我的 ', ''],
    ['從我的 ', ' 傳送'],
    ['나의 ', '에서 보냄'],
    ['', " 'den gönderildi"],
    ['', 'から送信'],
  ] as const
).map(([before, after]) => [before.toLowerCase(), after.toLowerCase()])

const MAKERS =
  /^(?:iphone|ipad|ipod|apple|galaxy|samsung|android|pixel|google|huawei|honor|xiaomi|redmi|poco|oneplus|oppo|vivo|realme|sony|xperia|htc|lg|nokia|motorola|moto|blackberry|windows phone|wiko|fairphone|nothing|asus|zte|t-mobile|verizon|at&t)(?![a-z])([a-z0-9 ()+./,-]{0,60})$/
/** A model's number: S21, 5G, SM-G991B. */
const MODEL = /^[a-z]{0,4}-?[a-z]{0,2}[0-9]{1,4}[a-z+]{0,4}$/
/** Further words a device says of itself. No sentence about a request can be made of these. */
const DEVICE_WORDS = new Set(
  (
    'air blackberry device edge fab fe fold flip galaxy handset lite lte max mini mobile network note nord phone plus pro redmi ridge ' +
    'samsung se smartphone tab tablet ultra via wireless x xperia xr xs'
  ).split(' '),
)

const BANNERS = new Set(
  [
    '[EXTERNAL]',
    '[EXTERNAL EMAIL]',
    '[EXT]',
    'EXTERNAL EMAIL',
    'EXTERNAL SENDER',
    'CAUTION: EXTERNAL EMAIL',
    'CAUTION: This email originated from outside of the organization. Do not click links or open attachments unless you recognize the sender and know the content is safe.',
    'CAUTION: This email originated from outside the organization.',
    'This message was sent from outside the company. Please do not click links or open attachments unless you recognise the source of this email and know the content is safe.',
    'ACHTUNG: Diese E-Mail stammt von einem externen Absender.',
    '[EXTERN]',
    '[EXTERNE]',
    '[EXTERNO]',
    '[ESTERNO]',
  ].map(line => fold(line)),
)

/** A link beside the words, as programs spell it in plain text. */
const LINK = / ?(?:<https?:[^<>\s]{1,300}>|\[https?:[^\]\s]{1,300}\]|\(https?:[^()\s]{1,300}\))$/
const MAX_LITERAL_CHARS = 400

function fold(line: string): string {
  return line
    .trim()
    .replace(/[\s\u00a0]+/g, ' ')
    .toLowerCase()
}

/** The operator's own banners, in the form lines are compared in. */
export type Banners = ReadonlySet<string>
export const readBanners = (lines: readonly string[]): Banners => new Set(lines.map(fold))

/** Whether programs alone write this line. */
export function isLiteral(line: string, banners: Banners): boolean {
  if (line.length > MAX_LITERAL_CHARS) return banners.has(fold(line))
  const said = fold(line.trim().replace(LINK, ''))
  return SENT_WITH.has(said) || BANNERS.has(said) || isDevice(said) || banners.has(said)
}

const isDevice = (said: string): boolean =>
  DEVICE.some(([before, after]) => {
    const stop = said.endsWith('.') ? said.slice(0, -1) : said
    if (!stop.startsWith(before) || !stop.endsWith(after)) return false
    const [, model] = MAKERS.exec(stop.slice(before.length, stop.length - after.length).trim()) ?? []
    return model?.split(/[ ()./,]+/).every(isDeviceWord) === true
  })

const isDeviceWord = (word: string): boolean => word === '' || MODEL.test(word) || DEVICE_WORDS.has(word)
