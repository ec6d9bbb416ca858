using Faster;

namespace CountStore.Counting;

/// <summary>Reads many counts with several reads under way at once.</summary>
internal static class ReadWindow
{
    /// <summary>Fills the counts; 0 for keys that do not exist.</summary>
    /// <param name="counts">Where each key's count goes.</param>
    /// <param name="read">Reads the count of the key at a position.</param>
    public static async ValueTask ReadAsync(long[] counts, Func<int, ValueTask<ReadResult<long>>> read)
    {
        var window = new Task<ReadResult<long>>[StoreLimits.Reads];
        for (int first = 0; first < counts.Length; first += window.Length)
        {
            int count = Math.Min(window.Length, counts.Length - first);
            for (int at = 0; at < count; at++) window[at] = read(first + at).AsTask();
            for (int at = 0; at < count; at++) counts[first + at] = (await window[at]).GetValueOrDefault(0);
        }
    }
}
