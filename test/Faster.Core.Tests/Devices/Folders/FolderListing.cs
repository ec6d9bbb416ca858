namespace Faster.Testing;

/// <summary>The files of a folder in which a store makes and deletes some meanwhile.</summary>
internal static class FolderListing
{
    /// <summary>
    /// All files that were there at one moment, with their lengths: the folder is listed until two listings are equal,
    /// as one could hold a file that was deleted and the one that was made for it.
    /// </summary>
    /// <param name="folder">The folder.</param>
    /// <param name="pattern">Which files.</param>
    /// <param name="depth">Whether those of folders below count, too.</param>
    public static IReadOnlyList<(string Path, long Bytes)> AtOneMoment(
        string folder, string pattern = "*", SearchOption depth = SearchOption.AllDirectories)
    {
        for (string[] listed = Files();;)
        {
            (string, long)[] files = [.. listed.Select(static path => (path, LengthOf(path)))];
            string[] again = Files();
            if (again.AsSpan().SequenceEqual(listed)) return files;
            listed = again;
        }

        string[] Files() => [.. Directory.EnumerateFiles(folder, pattern, depth).Order(StringComparer.Ordinal)];
    }

    private static long LengthOf(string path)
    {
        try
        {
            return new FileInfo(path).Length;
        }
        catch (FileNotFoundException)
        {
            return 0; // It has been deleted since it was listed: the next listing differs.
        }
    }
}
