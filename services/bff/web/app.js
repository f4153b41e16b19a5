/** The page. It shows the sign-in form, or the conversation in the address. */

import { login, logout, signInOptions } from './api.js';
import { Assistants } from './assistants.js';
import { Chat } from './chat.js';
import { Composer } from './composer.js';
import { mayWrite } from './data-parts.js';
import { button } from './dom.js';
import { openPassage } from './passage.js';
import { addressOf, passageOf, threadOf } from './route.js';
import { YourData } from './data.js';
import { People } from './people.js';
import { showSchedules } from './schedules.js';
import { Sidebar } from './sidebar.js';
import { failureState } from './states.js';
import { ConversationStore, browserStorage, forgetEverything } from './store.js';
import { themeButton } from './theme.js';

/** The words with which an identity provider's sign-in leads back here. */
const SIGN_IN_FAILURES = {
  expired: 'The sign-in has expired, or was begun in another browser. Try again.',
  denied: 'The identity provider ended the sign-in.',
  'not-allowed': 'You are not allowed to sign in here. Ask an administrator for access.',
  refused: 'The answer of the identity provider was not accepted. Report it to an administrator if this happens again.',
  unavailable: 'The identity provider does not answer. Try again in a moment.',
};

/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);

let chat;
let owner;
let store;

start();

async function start() {
  themeButton($('theme'));
  wireSignIn();
  wireShell();
  await identify();
}

/**
 * Loads the signed-in account. If the call fails, the page shows the error instead of the sign-in
 * form.
 */
async function identify() {
  $('away').hidden = true;
  try {
    const { account, demonstration, issuers } = await signInOptions();
    const failure = signInFailure();
    if (account) enter(account);
    else {
      propose(demonstration);
      offerIssuers(issuers ?? []);
      showSignIn(failure);
    }
  } catch (error) {
    $('away').replaceChildren(failureState({ title: 'Cannot connect to Heliograph', text: error.message, heading: 'h1' }, ['Try again', 'retry', identify]));
    $('away').hidden = false;
  }
}

function showSignIn(text = '') {
  $('chat-view').hidden = true;
  $('sign-in').hidden = false;
  $('sign-in-fault').textContent = text;
  $('password').value = '';
  ($('username').value ? $('password') : $('username')).focus();
  document.title = 'Sign in · Heliograph';
}

/** Fills in the account of a demonstration. */
function propose(demonstration) {
  $('sign-in-note').hidden = !demonstration;
  if (!demonstration) return;
  $('sign-in-note').textContent = demonstration.note;
  $('username').value = demonstration.username;
}

/** Shows a link for each identity provider. */
function offerIssuers(issuers) {
  $('issuers').hidden = issuers.length === 0;
  const entries = issuers.map(({ label, path }) => {
    const [entry, link] = [document.createElement('li'), document.createElement('a')];
    link.href = path;
    link.textContent = `Sign in with ${label}`;
    entry.append(link);
    return entry;
  });
  $('issuers').replaceChildren(...entries);
}

/** What failed at an identity provider, which led back here with a word. The address forgets it. */
function signInFailure() {
  const address = new URL(location.href);
  const word = address.searchParams.get('sign-in');
  if (word === null) return '';
  address.searchParams.delete('sign-in');
  history.replaceState(null, '', address);
  return SIGN_IN_FAILURES[word] ?? 'The sign-in failed. Try again.';
}

function wireSignIn() {
  $('sign-in-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const submit = event.submitter ?? $('sign-in-form').querySelector('button');
    submit.disabled = true;
    $('sign-in-fault').textContent = '';
    try {
      enter(await login($('username').value.trim(), $('password').value));
    } catch (error) {
      $('sign-in-fault').textContent = error.message;
      $('password').select();
    } finally {
      submit.disabled = false;
    }
  });
}

/**
 * Shows the conversations of a user. After the end of a session, the same user finds the page
 * unchanged.
 */
function enter(user) {
  $('sign-in').hidden = true;
  $('chat-view').hidden = false;
  $('password').value = '';
  if (owner === user.sub) {
    chat.refresh();
    return;
  }
  if (owner !== undefined) {
    // Another user: remove all data of the previous one from memory and from the browser.
    beginAnew();
    return;
  }
  owner = user.sub;
  $('account-name').textContent = user.username;
  open(user);
}

/** Removes all data of the previous user. */
function beginAnew() {
  store?.forget();
  forgetEverything();
  history.replaceState(null, '', addressOf());
  location.reload();
}

function open(user) {
  store = new ConversationStore(browserStorage(), user.sub);
  const sidebar = new Sidebar($('conversations'), store, {
    renamed: (id, title) => chat.renamed(id, title),
    removed: (id) => chat.removed(id),
    current: () => chat.id,
    isBusy: (id) => chat.isBusy(id),
    failed: notice,
  });
  const assistants = new Assistants(() => chat?.refresh());
  const ask = (question) => {
    chat.ask('data', question);
    closeMenu();
  };
  const data = new YourData($('data'), user, () => assistants.load(), ask);
  $('your-data').addEventListener('click', () => {
    closeMenu();
    data.open();
  });
  const people = new People($('people'), user);
  if (mayWrite(user, 'accounts:read')) $('your-account').textContent = 'Account and people';
  $('your-account').addEventListener('click', () => {
    closeMenu();
    people.open();
  });
  const elements = { scroller: $('scroller'), log: $('log'), title: $('title'), jump: $('jump'), live: $('live'), composer: new Composer($('composer')) };
  chat = new Chat(elements, store, assistants, user, {
    changed: () => sidebar.render(),
    began: (id) => history.pushState(null, '', addressOf(id)),
    leave: () => go(undefined),
    connect: (kind) => data.open(kind),
    signedOut: () => showSignIn('Your session has ended. Sign in again to continue.'),
  });
  const show = (id) => {
    chat.open(id);
    closeMenu();
    sidebar.render();
  };
  const go = (id) => {
    if (threadOf(location.hash) === id) show(id);
    else location.hash = addressOf(id);
  };
  const showPassage = () => {
    const passage = passageOf(location.hash);
    if (passage) openPassage(passage, () => history.replaceState(null, '', addressOf(chat.addressed)));
    return passage !== undefined;
  };
  const follow = () => {
    if (showPassage()) return;
    const id = threadOf(location.hash);
    if (id === undefined || id !== chat.addressed) show(id);
    else closeMenu();
  };
  for (const control of document.querySelectorAll('[data-new]')) control.addEventListener('click', () => go(undefined));
  addEventListener('popstate', follow);
  addEventListener('storage', (event) => {
    if (!store.isKey(event.key)) return;
    // Signed out in another tab: the data must be removed here, too, and not be stored again.
    if (event.newValue === null) location.reload();
    else sidebar.render();
  });
  show(threadOf(location.hash));
  showPassage();
  assistants.load();
  sidebar.refresh();
}

/** Shows an error of the page; `again` retries. */
function notice(error, again) {
  const retry = () => {
    $('offline').hidden = true;
    again();
  };
  $('offline').replaceChildren(error.message, ...(again ? [' ', button({ label: 'Try again', class: 'small' }, retry)] : []));
  $('offline').hidden = false;
}

function wireShell() {
  $('menu').addEventListener('click', () => (document.body.classList.contains('menu-open') ? closeMenu() : openMenu()));
  $('backdrop').addEventListener('click', closeMenu);
  addEventListener('keydown', (event) => event.key === 'Escape' && closeMenu());
  $('schedules').addEventListener('click', showSchedules);
  $('sign-out').addEventListener('click', async () => {
    try {
      const ended = await logout();
      if (ended?.end_session_url) {
        store?.forget();
        forgetEverything();
        location.assign(ended.end_session_url);
        return;
      }
    } catch (error) {
      // 401 means that the user is already signed out.
      if (error.status !== 401) {
        notice(error);
        return;
      }
    }
    beginAnew();
  });
  const online = () => {
    $('offline').hidden = navigator.onLine;
    $('offline').textContent = 'No network connection.';
  };
  addEventListener('online', online);
  addEventListener('offline', online);
}

function openMenu() {
  document.body.classList.add('menu-open');
  $('menu').setAttribute('aria-expanded', 'true');
  $('sidebar').querySelector('button').focus();
}

function closeMenu() {
  if (!document.body.classList.contains('menu-open')) return;
  document.body.classList.remove('menu-open');
  $('menu').setAttribute('aria-expanded', 'false');
  $('menu').focus();
}
