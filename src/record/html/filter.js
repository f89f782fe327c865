const search = document.getElementById("search");
search.hidden = false;
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/);
  for (const row of document.querySelectorAll("#hosts tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.classList.toggle("hidden", !words.every((word) => text.includes(word)));
  }
});
