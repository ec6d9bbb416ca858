namespace Faster.MemoryProbe;

/// <summary>The files of a folder in which a store makes and deletes some meanwhile.</summary>
internal static class FolderFiles
{
    /// <summary>
    /// All files at or below a folder that were there at one moment, with their lengths: the folder is listed until two
    /// listings are equal, as one could hold a file that was deleted and the one that was made for it.
    /// </summary>
    /// <param name="folder">The folder.</param>
    public static IReadOnlyList<(string Path, long Bytes)> AtOneMoment(string folder)
    {
        for (string[] listed = ListedIn(folder);;)
        {
            (string, long)[] files = [.. listed.Select(static path => (path, LengthOf(path)))];
            string[] again = ListedIn(folder);
            if (again.AsSpan().SequenceEqual(listed)) return files;
            listed = again;
        }
    }

    private static string[] ListedIn(string folder) =>
        [.. Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)];

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
