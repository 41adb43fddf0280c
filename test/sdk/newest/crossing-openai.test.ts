/** The OpenAI client, major 7, before every kind of upstream. */
import { chatClient, chatHelper } from './clients/openai-chat.ts';
import { responsesClient, responsesHelper } from './clients/openai-responses.ts';
import { crossing } from './scenarios.ts';

crossing('openai 7: chat', chatClient());
crossing('openai 7: chat, helper', chatHelper());
crossing('openai 7: responses', responsesClient());
crossing('openai 7: responses, helper', responsesHelper());
