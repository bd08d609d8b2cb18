// Asks for what the page is going to show while its modules are still on their way; see `get` in api.js.
{
  const id = /^#\/episode\/([\w-]+)/.exec(location.hash)?.[1];
  const url = id ? `/api/episodes/${id}?outline=1` : /^#?\/?$/.test(location.hash) ? "/api/catalogue" : "";
  if (url) window.early = { url, answer: fetch(url).catch(() => null) };
}
