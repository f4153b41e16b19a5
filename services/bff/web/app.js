/** The page: who is signed in decides what it shows. */

import { login, logout, me, threads } from './api.js';
import { Chat, Composer } from './chat.js';
import { Sidebar } from './sidebar.js';
import { ConversationStore, browserStorage } from './store.js';
import { themeButton } from './theme.js';

const $ = (id) => document.getElementById(id);

let chat;
let owner;
let store;

start();

async function start() {
  themeButton($('theme'));
  wireSignIn();
  wireShell();
  try {
    const user = await me();
    if (user) enter(user);
    else showSignIn();
  } catch (error) {
    showSignIn(error.message);
  }
}

function showSignIn(text = '') {
  $('chat-view').hidden = true;
  $('sign-in').hidden = false;
  $('sign-in-fault').textContent = text;
  $('password').value = '';
  ($('username').value ? $('password') : $('username')).focus();
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

/** Shows the conversations of a person. Whoever comes back after a session's end finds the page as it was left. */
function enter(user) {
  $('sign-in').hidden = true;
  $('chat-view').hidden = false;
  $('password').value = '';
  if (owner === user.sub) return;
  if (owner !== undefined) {
    // Somebody else: nothing of the first person may stay in memory.
    location.reload();
    return;
  }
  owner = user.sub;
  $('account-name').textContent = user.username;
  open(user);
}

function open(user) {
  store = new ConversationStore(browserStorage(), user.sub);
  const sidebar = new Sidebar($('conversations'), store, {
    open: (id) => show(id),
    renamed: (id, title) => chat.renamed(id, title),
    removed: (id) => chat.removed(id),
    current: () => chat.id,
    isBusy: (id) => chat.isBusy(id),
    failed: (error) => notice(error.message),
  });
  const elements = { scroller: $('scroller'), log: $('log'), jump: $('jump'), live: $('live'), composer: new Composer($('composer')) };
  chat = new Chat(elements, store, user, {
    changed: () => sidebar.render(),
    signedOut: () => showSignIn('Your session has ended. Sign in again to go on.'),
  });
  const show = (id) => {
    chat.open(id);
    closeMenu();
    sidebar.render();
  };
  for (const button of document.querySelectorAll('[data-new]')) button.addEventListener('click', () => show());
  addEventListener('storage', (event) => {
    if (!store.isKey(event.key)) return;
    // Signed out in another tab: nothing of it may stay here, or be written again.
    if (event.newValue === null) location.reload();
    else sidebar.render();
  });
  show();
  threads().then(
    (known) => {
      store.merge(known);
      sidebar.render();
    },
    (error) => notice(error.message),
  );
}

function notice(text) {
  $('offline').textContent = text;
  $('offline').hidden = false;
}

function wireShell() {
  $('menu').addEventListener('click', () => (document.body.classList.contains('menu-open') ? closeMenu() : openMenu()));
  $('backdrop').addEventListener('click', closeMenu);
  addEventListener('keydown', (event) => event.key === 'Escape' && closeMenu());
  $('sign-out').addEventListener('click', async () => {
    try {
      await logout();
    } catch (error) {
      // Already signed out is what was wanted.
      if (error.status !== 401) {
        notice(error.message);
        return;
      }
    }
    store?.forget();
    location.reload();
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
