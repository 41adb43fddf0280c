/** Tells when a client's connection is over, also for an answer that still waits behind another one on it. */
import type { Socket } from 'node:net';
import type { Cancel } from '../ports/clock.ts';

/** One listener per connection, however many pipelined requests wait on it. */
const watchers = new WeakMap<Socket, Set<() => void>>();

/** Calls back once when the connection closes. Node tells a response that has no socket yet nothing of it. */
export function onConnectionClosed(socket: Socket, callback: () => void): Cancel {
  const waiting = watchers.get(socket) ?? watch(socket);
  waiting.add(callback);
  return () => void waiting.delete(callback);
}

function watch(socket: Socket): Set<() => void> {
  const waiting = new Set<() => void>();
  watchers.set(socket, waiting);
  socket.once('close', () => {
    for (const call of waiting) call();
  });
  return waiting;
}
