/** Ids of calls as this dialect takes them: those it refuses are spelt anew, the same in call and result. */

const TAKEN = /^[A-Za-z0-9_-]{1,64}$/;
const MOST = 64;

/** Depends on the id alone, so that a conversation keeps it from request to request. */
export function upstreamCallId(id: string): string {
  if (TAKEN.test(id)) return id;
  const print = `_${hash(id)}`;
  return id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MOST - print.length) + print;
}

/** FNV-1a over UTF-16 units: tells ids apart, no more. */
function hash(text: string): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return (sum >>> 0).toString(36);
}
