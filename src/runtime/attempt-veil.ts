/**
 * What hides our secrets in the words of one attempt's upstream (E-5), without becoming a way to guess them. A text comes
 * back masked or not, and whoever can have an upstream say what he likes reads from that whether it holds a part of a
 * secret. So an address that a workspace chose is searched for the one secret it was given, never for those of others; and
 * what the client has said himself stays as it is, for an upstream may only be quoting it.
 */
import type { CredentialEntry } from '../config/snapshot.ts';
import { makeMasker } from '../core/classify/mask.ts';
import { secretGuard } from '../core/errors/secret-guard.ts';
import { secretPartsOf } from '../providers/auth.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';

/** Hides secrets in what one upstream says (E-5). */
export interface AttemptVeil {
  /** For texts. */
  mask(text: string): string;
  /** For ids and headers. */
  guard(text: string): string;
}

/** @param sentHeaders values of the client's headers that were passed on */
export function attemptVeil(
  gateway: Pick<Gateway, 'mask' | 'guard'>,
  request: Job['request'],
  credential: Pick<CredentialEntry, 'baseUrl' | 'secret'> | null,
  sentHeaders: readonly string[],
): AttemptVeil {
  let said: string | null = null;
  // Only a text that holds a part of a secret makes anybody ask.
  const spares = (run: string): boolean => {
    said ??= textOf(request.view.bytes, sentHeaders).toLowerCase();
    return said.includes(run.toLowerCase());
  };
  if (credential?.baseUrl == null) {
    return { mask: (text) => gateway.mask(text, spares), guard: (text) => gateway.guard(text, spares) };
  }
  const own = secretPartsOf(credential.secret.reveal());
  return {
    mask: (text) => makeMasker(own)(text, spares),
    guard: (text) => secretGuard(own)(text, spares),
  };
}

/** The body as it was sent, and as a reader of JSON has it: escapes stand for the same characters. */
function textOf(body: Uint8Array, sentHeaders: readonly string[]): string {
  const sent = new TextDecoder().decode(body);
  return [sent, plain(sent), ...sentHeaders].join('\n');
}

function plain(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json)) ?? '';
  } catch {
    return '';
  }
}
