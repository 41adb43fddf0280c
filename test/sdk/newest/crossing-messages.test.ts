/** The Messages client, major 1, before every kind of upstream. */
import { messagesClient, messagesHelper } from './clients/messages.ts';
import { crossing } from './scenarios.ts';

crossing('@anthropic-ai/sdk 1: raw events', messagesClient);
crossing('@anthropic-ai/sdk 1: helper', messagesHelper);
