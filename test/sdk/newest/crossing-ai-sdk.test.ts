/** The AI SDK, major 7, with each provider before every kind of upstream. */
import { aiSdkChat, aiSdkGenerate, aiSdkMessages, aiSdkResponses } from './clients/ai-sdk.ts';
import { crossing } from './scenarios.ts';

crossing('AI SDK 7: openai.chat', aiSdkChat);
crossing('AI SDK 7: openai.responses', aiSdkResponses);
crossing('AI SDK 7: anthropic', aiSdkMessages);
crossing('AI SDK 7: google', aiSdkGenerate);
