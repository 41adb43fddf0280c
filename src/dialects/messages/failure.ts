/** Reads a failed answer of a Messages upstream (F-1 to F-6). */
import type { Failure } from '../../core/failure.ts';
import type { FailureSource } from '../contract.ts';
import { classifyWith } from '../failure/classify.ts';
import { MESSAGES_FAULTS } from './answer-fault.ts';

export const classifyAnswer: (source: FailureSource) => Failure = classifyWith(MESSAGES_FAULTS);
