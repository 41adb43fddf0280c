/** What a request of these endpoints asks for, and what it is to be given. */
import type { Choice } from '../answer/completion.ts';
import { fieldsOf } from '../answer/fields.ts';
import type { SimRequest } from '../answer/request.ts';
import type { PlainAsk } from './requests.ts';

export function askedOf(request: SimRequest): PlainAsk {
  return request.own as PlainAsk;
}

/** Its text; '' = nothing was to be made. */
export function textOfChoice(choice: Choice | undefined): string {
  return choice === undefined || isRefused(choice) ? '' : choice.text.join('');
}

export function isRefused({ finish, refusal }: Choice): boolean {
  return finish === 'content_filter' || refusal.length > 0;
}

/** Of a video, what the caller said it should be. */
export function wanted(request: SimRequest, key: string, otherwise: string): string {
  const value = fieldsOf(askedOf(request).fields)[key];
  return typeof value === 'string' ? value : otherwise;
}
