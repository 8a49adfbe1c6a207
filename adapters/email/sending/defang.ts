// Makes a caller's words harmless before they stand beside the lane's own.

/** Mail programs turn text that looks like a link into one. An invisible sign would not do: names are looked up
 *  without it. So the dot or colon that makes a link is bracketed, as those who write about dangerous links do. */
export const unlinked = (text: string): string =>
  text
    // A bracketed sign of the caller's own is told apart from ours.
    .replace(/\[(?=[.:[]\])/g, '[[]')
    .replaceAll('://', '[:]//')
    .replace(/(?<=[^\s.])\.(?=\p{L}{2})/gu, '[.]')
