/** Every page: where it lies, who may open it, and where the navigation shows it. */
import { type ComponentType, lazy } from 'react';
import type { Role } from './session/session.ts';
import type { IconName } from './shell/icons.tsx';
import type { WordKey } from './words/words.ts';

export interface PageEntry {
  readonly name: string;
  /** Below `/console`; the first one is what the navigation opens. */
  readonly paths: readonly string[];
  readonly title: WordKey<typeof import('./words/shared.en.ts').en>;
  readonly roles: readonly Role[];
  /** Absent: reached from another page. */
  readonly nav?: { readonly group: NavGroup; readonly icon: IconName };
  readonly Page: ComponentType;
}

export const NAV_GROUPS = ['watch', 'route', 'access', 'try'] as const;
export type NavGroup = (typeof NAV_GROUPS)[number];

const ADMINS: readonly Role[] = ['account_admin', 'workspace_admin'];
const ACCOUNT: readonly Role[] = ['account_admin'];

export const PAGES: readonly PageEntry[] = [
  {
    name: 'overview',
    paths: ['/'],
    title: 'page.overview',
    roles: ADMINS,
    nav: { group: 'watch', icon: 'overview' },
    Page: lazy(() => import('./pages/overview/page.tsx')),
  },
  {
    name: 'requests',
    paths: ['/requests'],
    title: 'page.requests',
    roles: ADMINS,
    nav: { group: 'watch', icon: 'requests' },
    Page: lazy(() => import('./pages/requests/page.tsx')),
  },
  {
    name: 'request',
    paths: ['/requests/:id'],
    title: 'page.request',
    roles: ADMINS,
    Page: lazy(() => import('./pages/request/page.tsx')),
  },
  {
    name: 'targets',
    paths: ['/targets'],
    title: 'page.targets',
    roles: ADMINS,
    nav: { group: 'watch', icon: 'targets' },
    Page: lazy(() => import('./pages/targets/page.tsx')),
  },
  {
    name: 'routing',
    paths: ['/routing'],
    title: 'page.routing',
    roles: ADMINS,
    nav: { group: 'route', icon: 'routing' },
    Page: lazy(() => import('./pages/routing/page.tsx')),
  },
  {
    name: 'policies',
    paths: ['/policies'],
    title: 'page.policies',
    roles: ADMINS,
    nav: { group: 'route', icon: 'policies' },
    Page: lazy(() => import('./pages/policies/page.tsx')),
  },
  {
    name: 'credentials',
    paths: ['/credentials'],
    title: 'page.credentials',
    roles: ADMINS,
    nav: { group: 'route', icon: 'credentials' },
    Page: lazy(() => import('./pages/credentials/page.tsx')),
  },
  {
    name: 'keys',
    paths: ['/keys'],
    title: 'page.keys',
    roles: ADMINS,
    nav: { group: 'access', icon: 'keys' },
    Page: lazy(() => import('./pages/keys/page.tsx')),
  },
  {
    name: 'workspaces',
    paths: ['/workspaces', '/workspaces/:name'],
    title: 'page.workspaces',
    roles: ADMINS,
    nav: { group: 'access', icon: 'workspaces' },
    Page: lazy(() => import('./pages/workspaces/page.tsx')),
  },
  {
    name: 'members',
    paths: ['/members'],
    title: 'page.members',
    roles: ACCOUNT,
    nav: { group: 'access', icon: 'members' },
    Page: lazy(() => import('./pages/members/page.tsx')),
  },
  {
    name: 'webhooks',
    paths: ['/webhooks', '/webhooks/:name'],
    title: 'page.webhooks',
    roles: ADMINS,
    nav: { group: 'access', icon: 'webhooks' },
    Page: lazy(() => import('./pages/webhooks/page.tsx')),
  },
  {
    name: 'audit',
    paths: ['/audit'],
    title: 'page.audit',
    roles: ADMINS,
    nav: { group: 'access', icon: 'audit' },
    Page: lazy(() => import('./pages/audit/page.tsx')),
  },
  {
    name: 'playground',
    paths: ['/playground'],
    title: 'page.playground',
    roles: ADMINS,
    nav: { group: 'try', icon: 'playground' },
    Page: lazy(() => import('./pages/playground/page.tsx')),
  },
  {
    name: 'lookup',
    paths: ['/lookup'],
    title: 'page.lookup',
    roles: ['member'],
    nav: { group: 'watch', icon: 'requests' },
    Page: lazy(() => import('./pages/lookup/page.tsx')),
  },
];

/** The first page of a role. */
export function homeOf(role: Role): string {
  return PAGES.find(({ roles }) => roles.includes(role))?.paths[0] ?? '/';
}
