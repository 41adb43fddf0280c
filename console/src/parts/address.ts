/** The query of the address as it stands this moment: what a page was drawn with may be older, and must not come back. */
export function queryNow(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}
