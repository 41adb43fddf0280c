import { describe, expect, it } from 'vitest';
import type { Phase } from '../failure.ts';
import { classifyTransport, type TimeoutFault, type TransportFault } from './transport.ts';

type Row = readonly [TransportFault | TimeoutFault, Phase, string, boolean, readonly string[]];

const ROWS: readonly Row[] = [
  [{ kind: 'dns' }, 'unsent', 'connection_error', false, ['connection_error']],
  [{ kind: 'refused' }, 'unsent', 'connection_error', false, ['connection_error']],
  [{ kind: 'tls' }, 'unsent', 'connection_error', false, ['connection_error']],
  [{ kind: 'unreachable' }, 'unsent', 'connection_error', false, ['connection_error']],
  [{ kind: 'connect_timeout' }, 'unsent', 'timeout', false, ['timeout']],
  [{ kind: 'reset', sent: false, reused: false }, 'unsent', 'connection_error', false, ['connection_error']],
  [{ kind: 'reset', sent: true, reused: true }, 'sent', 'connection_error', true, ['connection_error']],
  [{ kind: 'reset', sent: true, reused: false }, 'sent', 'server_error', true, ['server_error', 'connection_error']],
  [{ kind: 'reset', sent: true, reused: false }, 'headers', 'server_error', true, ['server_error', 'connection_error']],
  [{ kind: 'reset', sent: true, reused: true }, 'body', 'server_error', true, ['server_error', 'connection_error']],
  [{ kind: 'garbled', detail: 'x' }, 'body', 'malformed', true, ['server_error']],
  [{ kind: 'first_token_timeout' }, 'sent', 'timeout', true, ['timeout']],
  [{ kind: 'total_timeout' }, 'body', 'timeout', true, ['timeout']],
  [{ kind: 'total_timeout' }, 'unsent', 'timeout', false, ['timeout']],
  [{ kind: 'idle_timeout' }, 'committed', 'timeout', true, ['timeout']],
  [{ kind: 'stall_timeout' }, 'committed', 'timeout', true, ['timeout']],
];

describe('F-2, F-4: failures without an answer', () => {
  it.each(ROWS)('%j at %s is %s, maybe executed %j', (fault, phase, failureClass, maybeExecuted, triggers) => {
    const failure = classifyTransport(fault, phase);
    expect(failure.class).toBe(failureClass);
    expect(failure.maybeExecuted).toBe(maybeExecuted);
    expect(failure.triggers).toEqual(triggers);
    expect(failure.status).toBeNull();
  });

  it('F-6: only a connect timeout is decided by the row of connection_error', () => {
    expect(classifyTransport({ kind: 'connect_timeout' }, 'unsent').connectTimeout).toBe(true);
    expect(classifyTransport({ kind: 'total_timeout' }, 'sent').connectTimeout).toBe(false);
  });

  it('E-5: does not repeat what a decoder said about the bytes', () => {
    expect(classifyTransport({ kind: 'garbled', detail: 'near "sk-secret"' }, 'body').message).not.toContain('sk-');
  });

  it('keeps what the head of the answer said', () => {
    const failure = classifyTransport({ kind: 'reset', sent: true, reused: false }, 'body', {
      status: 503,
      requestId: 'r1',
    });
    expect(failure.status).toBe(503);
    expect(failure.requestId).toBe('r1');
  });
});
