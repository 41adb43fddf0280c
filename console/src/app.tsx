/** Who is not signed in sees the sign-in page at any address, and then the page that was asked for. */
import { Suspense } from 'react';
import { I18nProvider } from 'react-aria-components';
import { Navigate, Route, Routes } from 'react-router';
import SignInPage from './pages/sign-in/page.tsx';
import { homeOf, PAGES } from './pages.ts';
import { Skeleton } from './parts/skeleton.tsx';
import { SessionProvider, useSessionQuery } from './session/session.ts';
import { Denied, NotFound } from './shell/dead-ends.tsx';
import { PageFrame } from './shell/page-frame.tsx';
import { Shell } from './shell/shell.tsx';
import { useLanguage } from './words/words.ts';

/** The console. What its components say by themselves, they say in the language of the page. */
export function App() {
  const language = useLanguage();
  return (
    <I18nProvider locale={language === 'zh' ? 'zh-CN' : 'en-GB'}>
      <SignedIn />
    </I18nProvider>
  );
}

function SignedIn() {
  const session = useSessionQuery();
  if (session.isPending) return <Skeleton lines={6} />;
  if (!session.data) return <SignInPage trouble={session.error} />;
  const { role } = session.data;
  const home = homeOf(role);
  return (
    <SessionProvider value={session.data}>
      <Shell>
        <Routes>
          {PAGES.flatMap(({ paths, title, roles, Page }) =>
            paths.map((path) => (
              <Route
                key={path}
                path={path}
                element={
                  <PageFrame title={title}>
                    {roles.includes(role) ? (
                      <Suspense fallback={<Skeleton lines={8} />}>
                        <Page />
                      </Suspense>
                    ) : path === '/' ? (
                      <Navigate to={home} replace />
                    ) : (
                      <Denied />
                    )}
                  </PageFrame>
                }
              />
            )),
          )}
          <Route
            path="*"
            element={
              <PageFrame title="not_found.title">
                <NotFound />
              </PageFrame>
            }
          />
        </Routes>
      </Shell>
    </SessionProvider>
  );
}
