/** D-1: which failures let a request leave its model. */
import { CLASS_TRIGGER, type Failure, type FailureClass, type OnEntry, type Trigger } from '../failure.ts';
import type { FailoverOptions } from './options.ts';

/** The word of `on` that opts a class in; null = the class can not be opted in. `auth` covers `permission` (C-4). */
function optInWord(failureClass: FailureClass): OnEntry | null {
  switch (failureClass) {
    case 'auth':
    case 'permission':
      return 'auth';
    case 'model_not_found':
    case 'context_length':
    case 'content_policy':
    case 'empty':
      return failureClass;
    default:
      return null;
  }
}

/** `on` names the class itself, which turns its "stop" into "→ model". */
export function optedIn(on: ReadonlySet<OnEntry>, failureClass: FailureClass): boolean {
  const word = optInWord(failureClass);
  return word !== null && on.has(word);
}

/** F-4's triggers; a connect timeout is a failed connection as well (D-10). */
export function triggersFor(failure: Failure): readonly Trigger[] {
  if (!failure.connectTimeout || failure.triggers.includes('connection_error')) return failure.triggers;
  return [...failure.triggers, 'connection_error'];
}

/** Whether another model may be tried at all in this request. */
export function crossesModels(options: FailoverOptions): boolean {
  return options.crossModel && options.on.size > 0;
}

/** D-1 for a failure whose row leads to a model: trigger or class in `on`, or no trigger and no `on` sent. */
export function mayLeaveModel(options: FailoverOptions, failure: Failure): boolean {
  if (!crossesModels(options)) return false;
  if (optedIn(options.on, failure.class)) return true;
  if (triggersFor(failure).some((trigger) => options.on.has(trigger))) return true;
  return CLASS_TRIGGER[failure.class] === null && !options.onSent;
}

/** A model without targets counts as failed with trigger rate_limit (P-4): may the next one be tried? */
export function mayLeaveRestingModel(options: FailoverOptions): boolean {
  const leads = options.table.rate_limit.steps.some((step) => step === 'next_model' || step === 'next_model_larger');
  return leads && crossesModels(options) && options.on.has('rate_limit');
}
