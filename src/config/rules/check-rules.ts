/** All rules over one document. */

import type { Problem } from '../problem.ts';
import type { SourceDocument } from '../source/document.ts';
import { checkAnswers } from './answers.ts';
import { checkAvailability } from './availability.ts';
import { checkCredentials } from './credential-rules.ts';
import type { Review } from './loose.ts';
import { checkMembers } from './member-rules.ts';
import { checkAliases } from './model-names.ts';
import { checkNetwork } from './network.ts';
import { checkEntitlement, checkWebhooks } from './operations.ts';
import { checkSharedPlaces } from './shared-places.ts';
import { checkKeys, checkPolicies, checkWorkspaces } from './tenant-rules.ts';
import { checkModels, checkProviders } from './upstream-rules.ts';
import { checkBuiltInName } from './workspace-models.ts';

const RULES: readonly ((review: Review) => void)[] = [
  checkProviders,
  checkCredentials,
  checkModels,
  checkAliases,
  checkBuiltInName,
  checkWorkspaces,
  checkKeys,
  checkMembers,
  checkPolicies,
  checkNetwork,
  checkAnswers,
  checkSharedPlaces,
  checkWebhooks,
  checkEntitlement,
  checkAvailability,
];

/** What a schema can not say: references, duplicates, circles, and options of later versions. */
export function checkRules(document: SourceDocument): Problem[] {
  const review: Review = { document, problems: [] };
  for (const rule of RULES) rule(review);
  return review.problems;
}
