namespace Faster.Crash.Disk;

/// <summary>A folder: names, and the files that they name by number.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class DiskImage
{
    /// <summary>The file of each name.</summary>
    public Dictionary<string, int> Names { get; } = new(StringComparer.Ordinal);

    /// <summary>The files by number; one without a name may still be open.</summary>
    public Dictionary<int, FileImage> Files { get; } = [];

    /// <summary>The file of a name, or null.</summary>
    public FileImage? Find(string name) => Names.TryGetValue(name, out int file) ? Files[file] : null;

    /// <summary>A copy that shares the sectors; files without a name are omitted.</summary>
    public DiskImage Clone()
    {
        var copy = new DiskImage();
        foreach ((string name, int file) in Names)
        {
            copy.Names[name] = file;
            copy.Files[file] = Files[file].Clone();
        }

        return copy;
    }

    /// <summary>A hash that distinguishes images by names, lengths and the identity of sectors.</summary>
    public ulong Fingerprint()
    {
        ulong sum = 0;
        foreach ((string name, int file) in Names)
        {
            FileImage image = Files[file];
            ulong hash = Mix((ulong)name.GetHashCode(StringComparison.Ordinal)) ^ (ulong)image.Length;
            for (int i = 0; i < image.Sectors; i++) hash = Mix(hash + (uint)image[i].GetHashCode());
            sum += Mix(hash);
        }

        return sum;
    }

    /// <summary>Scatters a number's bits.</summary>
    public static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }
}
