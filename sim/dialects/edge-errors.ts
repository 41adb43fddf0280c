/** Answers that come from the edge in front of a provider, not from its API: the same in every dialect. */

export interface ErrorAnswer {
  readonly contentType: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Statuses that come as an HTML page. */
const PAGES: Readonly<Record<number, string>> = {
  502: 'Bad Gateway',
  504: 'Gateway Time-out',
  520: 'Web server is returning an unknown error',
  521: 'Web server is down',
  522: 'Connection timed out',
  523: 'Origin is unreachable',
  524: 'A timeout occurred',
  525: 'SSL handshake failed',
  526: 'Invalid SSL certificate',
  527: 'Railgun error',
  530: 'Origin DNS error',
};

/** Null = the API itself answers with this status. */
export function edgeAnswer(status: number): ErrorAnswer | null {
  const title = PAGES[status];
  if (title !== undefined) {
    const name = `${status} ${title}`;
    const body = `<html>\r\n<head><title>${name}</title></head>\r\n<body><center><h1>${name}</h1></center></body>\r\n</html>\r\n`;
    return { contentType: 'text/html', body, headers: { server: status >= 520 ? 'cloudflare' : 'nginx' } };
  }
  if (status < 400) return { contentType: 'text/plain', body: '', headers: { location: '/elsewhere' } };
  return null;
}
