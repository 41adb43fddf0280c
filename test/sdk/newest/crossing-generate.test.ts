/** The Gen AI client, major 3, before every kind of upstream. */
import { generateClient } from './clients/generate.ts';
import { crossing } from './scenarios.ts';

crossing('@google/genai 3', generateClient);
