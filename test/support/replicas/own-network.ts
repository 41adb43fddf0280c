/**
 * A network namespace with one cable to this one, which can be cut: packets vanish, nothing answers and nothing refuses.
 * Needs root and the right to make namespaces.
 */
import { execFileSync } from 'node:child_process';

export interface OwnNetwork {
  /** The address inside; programs there listen on it. */
  readonly address: string;
  /** What a command line begins with that is to run inside. */
  readonly prefix: readonly string[];
  cut(): void;
  mend(): void;
  remove(): void;
}

const ip = (...args: readonly string[]): void => {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

/** Null where this machine allows none, with the reason in `why`. */
export function openNetwork(name: string, third: number): OwnNetwork | { readonly why: string } {
  const [outside, inside] = [`${name}-a`, `${name}-b`];
  const [near, far] = [`10.99.${third}.1`, `10.99.${third}.2`];
  const within = ['netns', 'exec', name];
  const remove = (): void => {
    for (const args of [
      ['link', 'del', outside],
      ['netns', 'del', name],
    ]) {
      try {
        ip(...args);
      } catch {
        // It is not there.
      }
    }
  };
  remove();
  try {
    ip('netns', 'add', name);
    ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside);
    ip('link', 'set', inside, 'netns', name);
    ip('addr', 'add', `${near}/30`, 'dev', outside);
    ip('link', 'set', outside, 'up');
    for (const args of [
      ['addr', 'add', `${far}/30`, 'dev', inside],
      ['link', 'set', inside, 'up'],
      ['link', 'set', 'lo', 'up'],
    ])
      ip(...within, 'ip', ...args);
  } catch (error) {
    remove();
    return { why: error instanceof Error ? error.message : String(error) };
  }
  return {
    address: far,
    prefix: ['ip', ...within],
    // The far end goes down: this side sends into nothing, and hears of nothing.
    cut: () => ip(...within, 'ip', 'link', 'set', inside, 'down'),
    mend: () => ip(...within, 'ip', 'link', 'set', inside, 'up'),
    remove,
  };
}
