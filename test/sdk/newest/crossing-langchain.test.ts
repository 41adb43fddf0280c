/** LangChain's models before every kind of upstream. */
import { langChainChat, langChainGenerate, langChainMessages, langChainResponses } from './clients/langchain.ts';
import { crossing } from './scenarios.ts';

crossing('LangChain: ChatOpenAI', langChainChat);
crossing('LangChain: ChatOpenAI over Responses', langChainResponses);
crossing('LangChain: ChatAnthropic', langChainMessages);
crossing('LangChain: ChatGoogleGenerativeAI', langChainGenerate);
