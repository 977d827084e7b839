import { mount } from 'svelte';

import App from './App.svelte';
import './app.css';

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no element `app`');
mount(App, { target });
