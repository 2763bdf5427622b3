// An old address: go where the link with the wanted anchor leads, else to the first.

const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1))) ?? document.querySelector("a");
if (wanted instanceof HTMLAnchorElement) location.replace(wanted.href);
