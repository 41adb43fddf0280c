/** The OpenAI client, major 6, before every kind of upstream: what Node 20 gets, and most programs still use. */
import type OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import { chatClient, chatHelper } from './clients/openai-chat.ts';
import { responsesClient, responsesHelper } from './clients/openai-responses.ts';
import { crossing } from './scenarios.ts';

/** What the scenarios use of it is spelt alike in both. */
const Client = OpenAI6 as unknown as typeof OpenAI;

crossing('openai 6: chat', chatClient(Client));
crossing('openai 6: chat, helper', chatHelper(Client));
crossing('openai 6: responses', responsesClient(Client));
crossing('openai 6: responses, helper', responsesHelper(Client));
