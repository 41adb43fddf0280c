/** This dialect's two halves of a translation. */
import type { TranslatedClient, TranslatedUpstream } from '../contract.ts';
import { writeCanonical } from './canonical-answer.ts';
import { GenerateReader } from './canonical-reader.ts';
import { readCanonical } from './canonical-request.ts';
import { GenerateWriter } from './canonical-stream.ts';
import { readUpstreamAnswer } from './canonical-upstream-answer.ts';
import { generateCodec, isStream } from './codec.ts';
import { degraded } from './request.ts';
import { misses } from './upstream-misses.ts';
import { writeRequest } from './upstream-request.ts';

export const generateClient: TranslatedClient = {
  codec: generateCodec,
  canonical: {
    readRequest: readCanonical,
    writeAnswer: writeCanonical,
    streamWriter: (out, identity, echo) => new GenerateWriter(out, identity, echo),
  },
  degraded,
};

export const generateUpstream: TranslatedUpstream = {
  dialect: 'gemini',
  canonical: {
    misses,
    writeRequest,
    readAnswer: readUpstreamAnswer,
    failedFinish: generateCodec.failedFinish,
    streamReader: (options) => new GenerateReader(options),
  },
  classify: generateCodec.classify,
  isStream,
};
