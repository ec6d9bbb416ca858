using Faster.Checkpoints.Files;
using Faster.Devices.Folders;

namespace Faster.Opening;

/// <summary>
/// Refuses to create a store in a folder that contains other files, which is probably the wrong folder. Thread-safe: no
/// state.
/// </summary>
/// <remarks>
/// Hidden and system files are allowed, and what a file system puts into its root. In the folder of an existing store,
/// any other file is allowed and left alone.
/// </remarks>
internal static class ForeignFolder
{
    private const int MaxNamed = 3;

    private static readonly EnumerationOptions Visible = new()
    {
        AttributesToSkip = FileAttributes.Hidden | FileAttributes.System, IgnoreInaccessible = false,
    };

    /// <summary>Checks a folder before anything is written to it.</summary>
    /// <param name="folder">The folder; it may not exist.</param>
    /// <param name="ofColdTier">Whether it should hold a cold tier alone, not a store.</param>
    /// <exception cref="StoreOpenException">The folder holds no store and is not empty.</exception>
    public static void ThrowIfAny(string folder, bool ofColdTier = false)
    {
        string[] names;
        try
        {
            names = [.. Directory.EnumerateFileSystemEntries(folder, "*", Visible)
                .Select(static path => Path.GetFileName(path))];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return; // it does not exist, or acquiring its lock will fail
        }

        bool isOurs = names.Any(name => ofColdTier
            ? name == ColdFolderMark.FileName
            : name is StoreMetadata.FileName or StoreFileNames.Commits);
        if (isOurs) return;
        string[] foreign = [.. names.Where(ofColdTier ? IsForeignToColdTier : IsForeign).Order(StringComparer.Ordinal)];
        if (foreign.Length == 0) return;
        string some = string.Join(", ", foreign.Take(MaxNamed).Select(static name => $"'{name}'"));
        if (foreign.Length > MaxNamed) some += $" and {foreign.Length - MaxNamed} more";
        string what = ofColdTier ? "cold tier" : "store";
        throw new StoreOpenException(
            $"The folder '{folder}' holds no {what}, and is not empty: it holds {some}. Name the {what}'s folder, or "
            + "one that is empty or does not exist, for a new store; or move its content elsewhere.");
    }

    private static bool IsForeign(string name) => !IsOfSystem(name)
        && !(StoreFileNames.IsExpiries(name) || StoreFileNames.IsSegment(name) || StoreFileNames.IsCapture(name)
            || StoreFileNames.IsTemporary(name));

    // The mark is durable before any other file is made.
    private static bool IsForeignToColdTier(string name) =>
        !IsOfSystem(name) && name != ColdFolderMark.FileName + MetadataFile.TemporarySuffix;

    private static bool IsOfSystem(string name) =>
        name is FolderLock.FileName or "lost+found" || name.StartsWith('.');
}
