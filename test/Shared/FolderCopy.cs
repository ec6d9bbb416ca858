namespace Faster.Testing;

/// <summary>Copies of a store's folder, as a process finds it that is started after this one is killed.</summary>
internal static class FolderCopy
{
    private const int MostTries = 10_000;

    /// <summary>
    /// Copies all files at one moment, without the lock. While a commit changes the folder it is tried again.
    /// </summary>
    /// <param name="from">The folder.</param>
    /// <param name="makeFolder">Makes an empty folder for a try.</param>
    /// <returns>The folder with the copy.</returns>
    public static string AtOneMoment(string from, Func<string> makeFolder)
    {
        for (int tries = 0; tries < MostTries; tries++)
        {
            string to = makeFolder();
            try
            {
                (string Name, long, DateTime)[] before = Look(from);
                foreach ((string name, _, _) in before) File.Copy(Path.Combine(from, name), Path.Combine(to, name));
                if (Look(from).SequenceEqual(before)) return to;
            }
            catch (FileNotFoundException)
            {
                // the commit has removed what it replaces
            }

            Thread.Yield();
        }

        throw new InvalidOperationException($"'{from}' is changed all the time.");
    }

    private static (string Name, long, DateTime)[] Look(string folder) =>
    [
        .. new DirectoryInfo(folder).GetFiles().Where(static file => file.Extension != ".lock")
            .OrderBy(static file => file.Name, StringComparer.Ordinal)
            .Select(static file => (file.Name, file.Length, file.LastWriteTimeUtc)),
    ];
}
