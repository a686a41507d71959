import { GuildhallError } from '@guildhall/client';
import type { AsyncRouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement, use } from 'react';

/**
 * A page that is loaded when it is needed, and again when it is opened after it could not be.
 * `lazyRouteComponent` of the router would load the document anew then, also where there is no network.
 * Without one, nothing is asked for: some browsers keep a failure as long as the document.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): AsyncRouteComponent<object> {
  let Page: ComponentType | undefined;
  let loading: Promise<void> | undefined;
  let failure: unknown;
  const preload = () => {
    loading ??= (navigator.onLine ? load() : Promise.reject()).then(
      (module) => {
        Page = module[name];
        // What is there is shown at once.
        Lazy.preload = undefined as never;
      },
      (cause) => {
        loading = undefined;
        failure = new GuildhallError({
          status: 0,
          code: 'page_not_loaded',
          detail: 'It could not be loaded. Try again when the server can be reached.',
          method: 'GET',
          path: name,
          cause,
        });
      },
    );
    return loading;
  };
  const Lazy: AsyncRouteComponent<object> = () => {
    if (Page) return createElement(Page);
    if (failure) throw failure;
    return use(preload()) as undefined;
  };
  Lazy.preload = preload;
  return Lazy;
}
