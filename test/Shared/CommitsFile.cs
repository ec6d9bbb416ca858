namespace Faster.Testing;

/// <summary>A store's file of commit records, which tests read and damage (docs/formats/commit.md).</summary>
internal static class CommitsFile
{
    /// <summary>The name of the file in a store's folder.</summary>
    public const string Name = "commits";

    private const int Slots = 3, Copies = 2, LengthAt = 8, RecordAt = 16, VersionAt = RecordAt + 24;
    private const int Block = 512, Payload = 504;

    /// <summary>The versions whose records a folder has, oldest first.</summary>
    public static long[] Versions(string folder) => File.Exists(PathIn(folder)) ? Versions(Read(folder)) : [];

    /// <summary>The versions whose records are in the file's bytes, oldest first.</summary>
    public static long[] Versions(byte[] file) => [.. Enumerable.Range(0, Slots).Select(slot => VersionOf(file, slot))
        .Where(static version => version != 0).Order()];

    /// <summary>Where the copies of a version's record begin; they are the first and the second of a slot.</summary>
    public static long[] CopiesOf(byte[] file, long version)
    {
        int slot = Enumerable.Range(0, Slots).Single(slot => VersionOf(file, slot) == version);
        return [.. Enumerable.Range(0, Copies).Select(copy => PlaceOf(file, slot, copy))];
    }

    /// <summary>How many bytes each copy of a version's record takes, in whole blocks.</summary>
    public static int BytesOf(byte[] file, long version)
    {
        long length = RecordAt + BitConverter.ToInt64(file, (int)CopiesOf(file, version)[0] + LengthAt);
        return (int)((length + Payload - 1) / Payload) * Block;
    }

    /// <summary>Flips a bit in each copy of a version's record.</summary>
    public static void Damage(string folder, long version)
    {
        byte[] file = Read(folder);
        foreach (long place in CopiesOf(file, version)) file[place + VersionAt + sizeof(long)] ^= 1;
        File.WriteAllBytes(PathIn(folder), file);
    }

    /// <summary>Flips a bit in each copy of the newest record.</summary>
    public static void DamageNewest(string folder) => Damage(folder, Versions(folder)[^1]);

    private static string PathIn(string folder) => Path.Combine(folder, Name);

    // A store that is open may be writing it.
    private static byte[] Read(string folder)
    {
        using var file = new FileStream(
            PathIn(folder), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }

    private static long PlaceOf(byte[] file, int slot, int copy) =>
        file.Length / (Slots * Copies) * ((slot * Copies) + copy);

    private static long VersionOf(byte[] file, int slot)
    {
        int place = (int)PlaceOf(file, slot, 0);
        return BitConverter.ToInt64(file, place + LengthAt) == 0 ? 0 : BitConverter.ToInt64(file, place + VersionAt);
    }
}
