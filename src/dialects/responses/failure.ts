/** Reads a failed answer of a Responses upstream (F-1 to F-6): bodies, and the events that say a stream failed. */
import type { Failure } from '../../core/failure.ts';
import type { FailureSource } from '../contract.ts';
import { classifyWith } from '../failure/classify.ts';
import { RESPONSES_FAULTS } from './answer-fault.ts';

export const classifyAnswer: (source: FailureSource) => Failure = classifyWith(RESPONSES_FAULTS);
