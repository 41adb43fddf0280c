/** Converse as an upstream: no client speaks it, so every call to it is translated. */
import type { TranslatedUpstream } from '../contract.ts';
import { readAnswer } from './canonical-answer.ts';
import { classifyAnswer } from './failure.ts';
import { isFrames } from './is-frames.ts';
import { misses } from './misses.ts';
import { ConverseReader } from './reader.ts';
import { FAILED_STOPS } from './stop-reasons.ts';
import { writeRequest } from './upstream-request.ts';

export const converseUpstream: TranslatedUpstream = {
  dialect: 'bedrock',
  canonical: {
    misses,
    writeRequest,
    readAnswer,
    failedFinish: (raw) => FAILED_STOPS.get(raw) ?? null,
    streamReader: (options) => new ConverseReader(options),
  },
  classify: classifyAnswer,
  isStream: isFrames,
};
