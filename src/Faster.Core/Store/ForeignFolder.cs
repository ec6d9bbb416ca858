using Faster.Checkpoints;
using Faster.Devices;

namespace Faster;

/// <summary>
/// Refuses to make a store in a folder in which something else lies: it is likely to be the wrong one. Thread-safe: no
/// state.
/// </summary>
/// <remarks>Hidden and system files may lie there, and what a file system puts into its root. So may anything in the
/// folder of a store that is there already: it is let alone.</remarks>
internal static class ForeignFolder
{
    private const int MostNamed = 3;

    private static readonly EnumerationOptions Visible = new()
    {
        AttributesToSkip = FileAttributes.Hidden | FileAttributes.System, IgnoreInaccessible = false,
    };

    /// <summary>Looks at a folder before anything is written to it.</summary>
    /// <param name="folder">The folder; it may not exist.</param>
    /// <exception cref="StoreOpenException">It is no store's, and not empty.</exception>
    public static void ThrowIfAny(string folder)
    {
        string[] names;
        try
        {
            names = [.. Directory.EnumerateFileSystemEntries(folder, "*", Visible)
                .Select(static path => Path.GetFileName(path))];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return; // it does not exist; or taking its lock will tell
        }

        bool isStore = names.Any(static name =>
            name == StoreMetadata.FileName || StoreFileNames.IsCommit(name, out _));
        if (isStore) return;
        string[] foreign = [.. names.Where(IsForeign).Order(StringComparer.Ordinal)];
        if (foreign.Length == 0) return;
        string some = string.Join(", ", foreign.Take(MostNamed).Select(static name => $"'{name}'"));
        if (foreign.Length > MostNamed) some += $" and {foreign.Length - MostNamed} more";
        throw new StoreOpenException(
            $"The folder '{folder}' holds no store, and is not empty: it holds {some}. Name the store's folder, or one "
            + "that is empty or does not exist, for a new store; or move what lies there.");
    }

    private static bool IsForeign(string name) =>
        !(name is FolderLock.FileName or StoreFileNames.Expiries or "lost+found" || name.StartsWith('.')
            || StoreFileNames.IsSegment(name) || StoreFileNames.IsIndex(name) || StoreFileNames.IsSnapshot(name)
            || StoreFileNames.IsTemporary(name));
}
