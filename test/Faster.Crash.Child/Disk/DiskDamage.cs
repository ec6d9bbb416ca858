namespace Faster.Crash.Disk;

/// <summary>
/// Damage to a disk at rest: flipped bits, cut files, sectors lost, swapped, or from an earlier state.
/// </summary>
/// <remarks>Changes what the next process sees; other images that share the sectors stay as they are.</remarks>
internal static class DiskDamage
{
    public static void FlipBit(this DiskImage image, string name, long offset, int bit)
    {
        FileImage file = image.Find(name)!;
        int index = (int)(offset / Sector.Size), at = (int)(offset % Sector.Size);
        file[index] = file[index].With([(byte)(file[index].Bytes[at] ^ (1 << bit))], at);
    }

    public static void Cut(this DiskImage image, string name, long length) => image.Find(name)!.SetLength(length);

    public static void ZeroSector(this DiskImage image, string name, int index) => image.Find(name)![index] = default;

    public static void Swap(this DiskImage image, (string Name, int Index) a, (string Name, int Index) b)
    {
        FileImage first = image.Find(a.Name)!, second = image.Find(b.Name)!;
        (first[a.Index], second[b.Index]) = (second[b.Index], first[a.Index]);
    }

    /// <summary>Replaces a sector by that of another image.</summary>
    /// <returns>Whether that is a change.</returns>
    public static bool Restore(this DiskImage image, string name, int index, DiskImage older)
    {
        if (older.Find(name) is not { } source || source.Sectors <= index) return false;
        FileImage file = image.Find(name)!;
        if (file[index].Equals(source[index])) return false;
        file[index] = source[index];
        return true;
    }

    /// <summary>Removes a file.</summary>
    public static void Lose(this DiskImage image, string name) => image.Names.Remove(name);
}
