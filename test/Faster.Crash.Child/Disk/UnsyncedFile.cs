namespace Faster.Crash.Disk;

/// <summary>One file between syncs: what is certainly durable, and what may be.</summary>
/// <remarks>
/// After a crash each sector holds one of its versions: the certain one, or that of any write begun since, whether or
/// not it was reported as done. The length follows from the writes that were kept. A failed sync dooms the writes
/// before it: they may be durable, and no later sync makes them durable, because the system may have marked its pages
/// clean.
/// </remarks>
internal sealed class UnsyncedFile(FileImage certain)
{
    private readonly List<Change> _changes = [];

    /// <summary>Whether a crash can leave more than one state.</summary>
    public bool IsUncertain => _changes.Count != 0;

    /// <summary>How many writes since the last sync may be durable or not.</summary>
    public int Changes => _changes.Count;

    public void Begin(DiskEvent write)
    {
        var change = new Change(write.Write, write.Offset + write.Bytes.Length);
        change.Sectors.AddRange(FileImage.Cut(write.Bytes, write.Offset, Newest));
        _changes.Add(change);
    }

    public void End(int write)
    {
        foreach (Change change in _changes)
        {
            if (change.Write == write) change.IsDone = true;
        }
    }

    /// <summary>Removes a write of whole sectors, on which no later write builds.</summary>
    public void Drop(int write) => _changes.RemoveAll(change => change.Write == write);

    public void Empty()
    {
        var change = new Change(-1, 0) { Empties = true, IsDone = true };
        int sectors = _changes.SelectMany(c => c.Sectors).Select(s => s.Index + 1).Append(certain.Sectors).Max();
        for (int i = 0; i < sectors; i++) change.Sectors.Add((i, default));
        _changes.Add(change);
    }

    public void Sync()
    {
        foreach (Change change in _changes)
        {
            if (change is { IsDone: true, IsDoomed: false }) change.ApplyTo(certain, _ => true);
        }

        _changes.RemoveAll(c => c is { IsDone: true, IsDoomed: false });
    }

    public void FailSync()
    {
        foreach (Change change in _changes) change.IsDoomed |= change.IsDone;
    }

    /// <summary>One state that a crash may leave.</summary>
    public FileImage Choose(CrashChoice choice)
    {
        FileImage image = certain.Clone();
        for (int i = 0; i < _changes.Count; i++)
        {
            Change change = _changes[i];
            WriteFate liveness = choice.OfWrite(i, _changes.Count);
            if (liveness == WriteFate.Lost) continue;
            if (liveness == WriteFate.Hollow) image.SetLength(Math.Max(image.Length, change.End));
            else change.ApplyTo(image, _ => liveness == WriteFate.Kept || choice.KeepsSector());
        }

        return image;
    }

    private Sector Newest(int index)
    {
        for (int i = _changes.Count - 1; i >= 0; i--)
        {
            foreach ((int at, Sector sector) in _changes[i].Sectors)
            {
                if (at == index) return sector;
            }
        }

        return certain[index];
    }

    private sealed class Change(int write, long end)
    {
        public int Write { get; } = write;

        public long End { get; } = end;

        public bool Empties { get; init; }

        public bool IsDone { get; set; }

        public bool IsDoomed { get; set; }

        public List<(int Index, Sector Sector)> Sectors { get; } = [];

        public void ApplyTo(FileImage image, Func<int, bool> keeps)
        {
            long length = image.Length;
            bool keptLast = false;
            foreach ((int index, Sector sector) in Sectors)
            {
                keptLast = keeps(index);
                if (keptLast) image[index] = sector;
                if (keptLast && !Empties) length = Math.Max(length, Math.Min(End, (index + 1L) * Sector.Size));
            }

            image.SetLength(Empties && (keptLast || Sectors.Count == 0) ? 0 : length);
        }
    }
}
