/** Reasoning that only this API's models can vouch for: signatures over readable thoughts, and sealed ones. */
import { createHash } from 'node:crypto';

const SIGNED = 'sim-bedrock-signed/';
const SEALED = 'sim-bedrock-sealed/';

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The same thought has the same signature in every simulator. */
export function signatureOf(thought: string): string {
  return encoded(`${SIGNED}${digest(thought)}`);
}

export function isSignatureOf(signature: string, thought: string): boolean {
  return signature === signatureOf(thought);
}

/** A thought nobody but the simulator can read. */
export function sealThought(thought: string): string {
  return encoded(`${SEALED}${digest(thought)}/${thought}`);
}

/** Whether the simulator itself sealed it, and nobody changed it. */
export function isSealed(data: string): boolean {
  const text = Buffer.from(data, 'base64').toString('utf8');
  return text.startsWith(SEALED) && data === sealThought(text.slice(SEALED.length + 33));
}
