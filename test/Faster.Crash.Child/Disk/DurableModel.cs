namespace Faster.Crash.Disk;

/// <summary>
/// Follows a disk's events and knows, after each, every state that a power cut could leave: what is certain, and what
/// is not.
/// </summary>
/// <remarks>
/// A synced write and a synced name are certain; of the others any subset may be there, so that reordering, tearing and
/// loss are all among the choices. A renaming is atomic. A file to which no durable name leads is gone, whatever was
/// synced in it. Not thread-safe.
/// </remarks>
internal sealed class DurableModel
{
    private readonly Dictionary<string, int> _names;
    private readonly Dictionary<int, UnsyncedFile> _files = [];
    private readonly Dictionary<int, int> _fileOfWrite = [];
    private readonly List<DiskEvent> _unsyncedNames = [];

    /// <summary>Begins with a folder in which everything is durable.</summary>
    public DurableModel(DiskImage initial)
    {
        _names = new Dictionary<string, int>(initial.Names, StringComparer.Ordinal);
        foreach ((int file, FileImage image) in initial.Files) _files[file] = new UnsyncedFile(image.Clone());
    }

    /// <summary>Whether a crash now can leave more than one state.</summary>
    public bool IsUncertain => _unsyncedNames.Count != 0 || _files.Values.Any(f => f.IsUncertain);

    /// <summary>Applies the next event.</summary>
    public void Advance(DiskEvent e)
    {
        switch (e.Kind)
        {
            case DiskEventKind.Created:
                _files[e.File] = new UnsyncedFile(new FileImage());
                _unsyncedNames.Add(e);
                break;
            case DiskEventKind.Renamed or DiskEventKind.Deleted:
                _unsyncedNames.Add(e);
                break;
            case DiskEventKind.NamesSynced:
                SyncNames(e.Name);
                break;
            case DiskEventKind.Emptied:
                _files[e.File].Empty();
                break;
            case DiskEventKind.WriteBegun:
                _fileOfWrite[e.Write] = e.File;
                _files[e.File].Begin(e);
                break;
            case DiskEventKind.WriteDone:
                _files[_fileOfWrite[e.Write]].End(e.Write);
                break;
            case DiskEventKind.WriteDropped:
                _files[_fileOfWrite[e.Write]].Drop(e.Write);
                break;
            case DiskEventKind.Synced:
                _files[e.File].Sync();
                break;
            case DiskEventKind.SyncFailed:
                if (e.File >= 0) _files[e.File].FailSync();
                break;
        }
    }

    /// <summary>One state that a crash now may leave.</summary>
    public DiskImage Choose(CrashChoice choice)
    {
        var names = new Dictionary<string, int>(_names, StringComparer.Ordinal);
        for (int i = 0; i < _unsyncedNames.Count; i++)
        {
            if (choice.OfName(i, _unsyncedNames.Count)) Apply(_unsyncedNames[i], names);
        }

        var image = new DiskImage();
        foreach ((string name, int file) in names.OrderBy(n => n.Value))
        {
            image.Names[name] = file;
            if (!image.Files.ContainsKey(file)) image.Files[file] = _files[file].Choose(choice);
        }

        return image;
    }

    /// <summary>Applies a change of names to a folder in which earlier changes may not have happened.</summary>
    public static void Apply(DiskEvent e, Dictionary<string, int> names)
    {
        if (e.Kind == DiskEventKind.Created)
        {
            names[e.Name] = e.File;
            return;
        }

        if (names.TryGetValue(e.Name, out int file) && file == e.File) names.Remove(e.Name);
        if (e.Kind == DiskEventKind.Renamed) names[e.NewName] = e.File;
    }

    /// <summary>Whether a name begins with a prefix, and does not lie in a folder below that.</summary>
    public static bool IsIn(string prefix, string name) =>
        name.StartsWith(prefix, StringComparison.Ordinal) && !name.AsSpan(prefix.Length).Contains('/');

    private void SyncNames(string prefix)
    {
        bool Covers(DiskEvent e) => IsIn(prefix, e.Name);
        foreach (DiskEvent e in _unsyncedNames.Where(Covers)) Apply(e, _names);
        _unsyncedNames.RemoveAll(Covers);
    }
}
