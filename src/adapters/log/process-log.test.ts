import { describe, expect, it } from 'vitest';
import { makeMasker } from '../../core/classify/mask.ts';
import { createProcessLog, type LogLevel } from './process-log.ts';

function capture(level: LogLevel = 'info', mask?: (text: string) => string) {
  const written: string[] = [];
  const destination = { write: (line: string) => written.push(line) };
  const log = createProcessLog(level, { destination, ...(mask === undefined ? {} : { mask }) });
  return { log, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>), written };
}

describe('the process log', () => {
  it('O-2: writes one JSON object per line, with time and level', () => {
    const { log, lines, written } = capture();
    log.info('listening', { port: 4000 });
    expect(written[0]).toMatch(/\}\n$/);
    expect(lines()).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), port: 4000, msg: 'listening' },
    ]);
  });

  it('O-2: says nothing below its level, and nothing at all when silent', () => {
    const quiet = capture('warn');
    quiet.log.debug('a');
    quiet.log.info('b');
    quiet.log.warn('c');
    quiet.log.error('d');
    expect(quiet.lines().map(({ msg }) => msg)).toEqual(['c', 'd']);
    const silent = capture('silent');
    silent.log.bug(new Error('x'), 'req_1');
    expect(silent.written).toEqual([]);
  });

  it('E-5: every line passes the masker, stacks and messages included', () => {
    const { log, written } = capture('info', (text) => text.replaceAll('sk-secret-1', '[masked]'));
    log.info('key sk-secret-1 used');
    log.bug(new Error('call with sk-secret-1 failed', { cause: new Error('sk-secret-1') }), 'req_1');
    log.store('disk of sk-secret-1');
    log.alert({ kind: 'auth', message: 'sk-secret-1', requestId: null, at: 0 });
    expect(written).toHaveLength(4);
    expect(written.join('')).not.toContain('sk-secret-1');
  });

  it('E-5: masking leaves each line one JSON object, and the id that finds the request again', () => {
    const { log, lines, written } = capture('info', makeMasker(['sk-live-0123456789']));
    log.bug(new Error(`https://host/x?key=abc\\"sk-live-0123456789 ${'x'.repeat(40_000)}`), 'req_0123456789abcdef');
    log.info('sk-live-0123456789', { url: 'http://user:pass@host', list: [{ 'sk-live-0123456789': 'a@b' }] });
    expect(written.every((line) => line.endsWith('}\n'))).toBe(true);
    expect(lines()[0]).toMatchObject({ request_id: 'req_0123456789abcdef' });
    expect(lines()[1]).toMatchObject({ msg: '***', list: [{ '***': 'a@b' }] });
    expect(written.join('')).not.toMatch(/live-0|pass@/);
  });

  it('E-5: members that hold secrets are blanked should one be logged by mistake', () => {
    const { log, written } = capture();
    log.info('call', { authorization: 'Bearer abc', headers: { cookie: 'c=abc', 'x-api-key': 'abc' }, secret: 'abc' });
    expect(written.join('')).not.toContain('abc');
  });

  it('O-2: tells bugs with their stack and request, alerts by kind, and the request log’s trouble and recovery', () => {
    const { log, lines } = capture();
    log.bug(new TypeError('boom'), 'req_7');
    log.bug('thrown text', 'req_8');
    log.alert({ kind: 'quota_exhausted', message: 'out of credit', requestId: 'req_9', at: 0 });
    log.store('the disk is full');
    log.store(null);
    expect(lines()).toMatchObject([
      { level: 'error', request_id: 'req_7', error: 'boom', stack: expect.stringContaining('process-log.test') },
      { level: 'error', request_id: 'req_8', error: 'thrown text' },
      { level: 'warn', alert: 'quota_exhausted', request_id: 'req_9', msg: 'out of credit' },
      { level: 'error', msg: 'the disk is full' },
      { level: 'info', msg: 'the request log is written again' },
    ]);
  });
});
