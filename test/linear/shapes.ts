// Small pieces that parsers stumble over when they come by the ten thousand: blanks, quotation marks, brackets that never
// close, separators with nothing between them, halves of encodings, beginnings of tags.

const PIECES = [
  ' ·\t· \t·\u00a0·\n·\r\n· \n·\n ·\r\n ·a·a · a·1·1 ·ä·e\u0301·😀·"·\'·\\·\\"·" ·"a·"a" ·""·(·)·()·(a·[',
  '{·}·]·<·>·<>·> ·>>·,·, ·;·; · ;·:·: · :·=· =·= · = ·a=·a=;·=a;·&·&=·a=b&·+·|·.·@·a@b·a@b,·<a@b>',
  '<a@b>,·<a@·a:b;·a:·<a|b·<a|b>·<http://a|·:a·:a:·.a·1.·1.1·=?·?=·=?utf-8?Q?a?=·=?utf-8?Q?=20?= ',
  '=?utf-8?B?YQ==?=·=?a?b?·=20·=\r\n·=·=E2·=E2=82=AC·YQ==·%·%2·%20·%E2·\\u0000·\\ud800·\\n·{"a":·"a":1,',
  '"a":"b",·[1,·[[·null,·1e·-1.0,·<a·<a ·<a b·<a b=·<a b="·<a b=\'·<a b="c" ·<a/·</a·</a>·<p>·<p></p>',
  '<b>·<b></b>·<!·<!-·<!--·<!-- ·-->·--!>·<?·<style·<style>·</style>·<style>a{',
  '<style>.a{line-through}</style>·<blockquote>·<blockquote></blockquote>·<blockquote type=cite>·<pre>',
  '<pre>\n·</pre>·<td>·<br>·<s>·&#·&#1·&#1;·&amp·&amp;·&nbsp;·&a·line-through}·{·\\2d ·--·-- \n·--\r\n',
  '--b·--b\r\n·--b\r\n\r\n·--b--\r\n·__·> \n·>a\n·YES\n·NO\n·…·On 1 ·On 1 Jan 2026 ·wrote:·wrote:\n',
  'a <a@b> wrote:\n·From: a\n·From: a@b\nSent: 1:00\n·Subject: a\n·LANE-·LANE-00000000-·<lane.·<lane.0',
  'Sent from my ·iPhone ·dmarc=pass ·dmarc=pass;·header.from=a ·a=b; ·a="b"; ·;a="·; boundary=',
  'filename=·content-disposition: form-data;·Action: failed\r\n·Status: 5.',
].flatMap(row => row.split('·'))

/** It fits nothing, so that whoever tried must try otherwise. */
const END = '\u0001x'

export const shapes = (length: number): ReadonlyMap<string, string> =>
  new Map(
    PIECES.map(piece => [
      JSON.stringify(piece),
      piece.repeat(Math.floor((length - END.length) / piece.length)) + END,
    ]),
  )
