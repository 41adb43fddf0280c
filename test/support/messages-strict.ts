/** The simulator's reading of Messages requests, as strict as its vendor, without a simulator. */
import { Memory } from '../../sim/answer/memory.ts';
import { readMessagesRequest } from '../../sim/dialects/messages/request.ts';

/** What is wrong with a body, in the vendor's words; null = nothing. */
export function refusalOf(body: string, version = '2023-06-01'): string | null {
  const headers = { 'anthropic-version': version };
  const read = readMessagesRequest(JSON.parse(body), 'generate', headers, new Memory());
  return 'message' in read ? read.message : null;
}
