import type { VideoFile } from "./report_data.js";

const made = new Map<number, string>();

/** Where a video can be played from: the copy inside the page (one for all questions about it), else the linked file. */
export function videoUrl(videos: VideoFile[], place: number): string {
  const video = videos[place];
  if (!video) return "";
  const known = made.get(place);
  if (known) return known;
  const block = document.getElementById(`video-${place}`);
  if (!block?.textContent) return video.src;
  const text = atob(block.textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const url = URL.createObjectURL(new Blob([bytes], { type: video.mime }));
  made.set(place, url);
  return url;
}

export const isInside = (place: number): boolean => document.getElementById(`video-${place}`) !== null;
