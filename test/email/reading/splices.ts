// Answers spliced into bodies that real mail programs wrote. The bodies lie beside the repository and are not part of
// it; this table says where in each of them the program's own lines begin: file, first line of them, how many of them
// introduce the quotation. The lines above were the author's, and the answer takes their place.

const TABLE = `
crisp/correct_sig 3 2
crisp/email_10 7 4
crisp/email_11 7 4
crisp/email_12 7 4
crisp/email_13 7 4
crisp/email_14 7 1
crisp/email_15 7 1
crisp/email_16 7 1
crisp/email_17 7 1
crisp/email_18 7 4
crisp/email_19 5 3
crisp/email_20 3 0
crisp/email_22 7 1
crisp/email_23 7 1
crisp/email_24 7 1
crisp/email_25 7 1
crisp/email_26 7 1
crisp/email_2_1 4 6
crisp/email_3 7 1
crisp/email_4 3 1
crisp/email_6 5 3
crisp/email_7 7 2
crisp/email_8 7 2
crisp/email_9 7 7
crisp/email_blackberry 3 1
crisp/email_bullets 12 1
crisp/email_custom_quote_header 3 1
crisp/email_customer_quote_header_2 5 4
crisp/email_customer_quote_header_3 5 4
crisp/email_danish_dash_separator 7 5
crisp/email_en_multiline_2 8 2
crisp/email_finnish 7 2
crisp/email_fr_multiline 7 2
crisp/email_french_2 7 0
crisp/email_french_dash_separator 7 4
crisp/email_german 7 1
crisp/email_german_2 7 4
crisp/email_german_3 7 1
crisp/email_german_outlook 7 5
crisp/email_gmail_split_line_from 7 2
crisp/email_ios_outlook 7 6
crisp/email_ios_outlook_fr 7 6
crisp/email_iphone 3 1
crisp/email_italian 7 1
crisp/email_msn 6 5
crisp/email_multi_word_sent_from_my_mobile_device 3 1
crisp/email_norwegian_gmail 7 2
crisp/email_one_is_not_on 7 1
crisp/email_original_message 7 1
crisp/email_original_message_2 7 1
crisp/email_outlook_split_line_from 7 5
crisp/email_portuguese 7 2
crisp/email_reply_header 13 3
crisp/email_russian 7 1
crisp/email_sent_from 3 3
crisp/email_thread 3 3
crisp/email_tricky_10_special_chars_in_name 7 1
crisp/email_tricky_11_double_signature 6 4
crisp/email_tricky_12_no_space_after_header 6 1
crisp/email_tricky_14_long_quote_header 7 1
crisp/email_tricky_15_original_message_variations 7 5
crisp/email_tricky_20_html_entities 5 1
crisp/email_tricky_5_mixed_languages 7 1
crisp/email_tricky_9_nested_quotes 3 1
crisp/email_unquoted_reply 3 1
crisp/email_zoho 4 1
crisp/sig_no_empty_line 2 2
github/correct_sig 3 2
github/email_1_3 7 1
github/email_1_4 3 1
github/email_1_6 5 3
github/email_1_7 3 2
github/email_2_1 4 6
github/email_2_2 2 5
github/email_2_3 3 4
github/email_BlackBerry 3 1
github/email_bullets 12 1
github/email_iPhone 3 1
github/email_multi_word_sent_from_my_mobile_device 3 1
github/email_one_is_not_on 7 1
github/greedy_on 8 1
github/pathological 3 1
`

export type Tail = {
  readonly file: string
  /** The lines that introduce the quotation. */
  readonly intro: readonly string[]
  /** The quotation, with our marker as the first line of it. */
  readonly quoted: readonly string[]
}

/** What a program put below its author's words, quoting a mail of ours in place of the one it quoted. */
export function tails(bodies: ReadonlyMap<string, string>, marker: string): Tail[] {
  return TABLE.trim()
    .split('\n')
    .map(row => row.split(' '))
    .map(([file = '', start = '', count = '']) => {
      const lines = (bodies.get(file) ?? '').split('\n').slice(Number(start) - 1)
      const intro = lines.slice(0, Number(count))
      const rest = lines.slice(Number(count))
      const blank = rest.findIndex(line => line.trim() !== '')
      const first = rest[blank] ?? ''
      const mark = first.startsWith('>') ? `> ${marker}` : marker
      return { file, intro, quoted: ['', mark, ...rest.slice(Math.max(blank, 0))] }
    })
}

export const above = (answer: string, { intro, quoted }: Tail): string =>
  [answer, '', ...intro, ...quoted].join('\n')
export const below = (answer: string, { intro, quoted }: Tail): string =>
  [...intro, ...quoted, '', answer].join('\n')
/** Behind the first line of the quotation, and behind its middle. */
export function inside(answer: string, { intro, quoted }: Tail, middle: boolean): string {
  const at = middle ? Math.max(2, Math.ceil(quoted.length / 2)) : 2
  return [...intro, ...quoted.slice(0, at), answer, ...quoted.slice(at)].join('\n')
}
