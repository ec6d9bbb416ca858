using System.Runtime.CompilerServices;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.LogCommits;

/// <summary>
/// A store's folder as some version has written it, kept beside the tests so that later versions are tried on it.
/// UPDATE_SNAPSHOTS=1 writes those that are missing; one that exists is never written again.
/// </summary>
internal static class FixtureFolder
{
    /// <summary>Copies one, so that it can be opened.</summary>
    /// <param name="name">What it is called.</param>
    /// <param name="copy">Where to.</param>
    /// <param name="write">Writes it into a folder, if it is missing and asked for.</param>
    public static async Task CopyAsync(string name, TemporaryFolder copy, Func<string, Task> write)
    {
        string folder = PathOf(name);
        if (Environment.GetEnvironmentVariable("UPDATE_SNAPSHOTS") == "1" && !Directory.Exists(folder))
        {
            await write(folder);
            File.Delete(Path.Combine(folder, "store.lock"));
        }

        Directory.CreateDirectory(copy.Path);
        foreach (string file in Directory.EnumerateFiles(folder))
            File.Copy(file, Path.Combine(copy.Path, Path.GetFileName(file)));
    }

    private static string PathOf(string name, [CallerFilePath] string source = "") =>
        Path.Combine(Path.GetDirectoryName(source)!, "..", "Fixtures", name);
}
