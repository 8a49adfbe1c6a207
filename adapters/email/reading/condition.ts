// Words that begin a condition, in the languages whose introductions are known. No name, no date and no program's own line
// has one, so a line that does is the author's, however much the rest of it looks like a program's.

const CONDITIONS = new Set(
  (
    'no not never only but if unless until before after when once except provided nein nicht nur aber erst wenn falls ' +
    'sobald sofern bevor non pas seulement mais sauf jamais avant après quand pero sólo hasta antes después cuando não ' +
    'até depois quando dopo purché niet alleen maar tenzij voordat inte först ikke først nie tylko jeśli dopiero нет не ' +
    'только если после когда ancak sadece'
  ).split(' '),
)

/** Whether any of these words begins a condition. */
export const hasCondition = (words: readonly string[]): boolean =>
  words.some(word => CONDITIONS.has(word.toLowerCase().replace(/[^\p{L}]/gu, '')))
