/** Watches one stream of this dialect: an upstream's, or a kept one (T-1 to T-10). */
import type { StreamTap, StreamTapOptions } from '../contract.ts';
import { EventTap } from '../stream/event-tap.ts';
import { TypedEvents } from './event-bytes.ts';
import { MessagesGrammar } from './grammar.ts';

export function messagesTap(options: StreamTapOptions): StreamTap {
  return new EventTap(options, new MessagesGrammar(options.servedModel), new TypedEvents(options.maxEventBytes));
}
