using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Faster.Workload.Writes;

/// <summary>How many writes wait for the disk at once, and how.</summary>
/// <param name="Form">How clients wait.</param>
/// <param name="Sessions">How many clients there are, each a thread or an awaiting session.</param>
/// <param name="Each">How many writes each has under way; of a batch, how many it carries.</param>
internal sealed record WriteShape(WriteForm Form, int Sessions, int Each)
{
    /// <summary>The most sessions, and the most writes of each.</summary>
    public const int Most = KeyStream.ChunkLength;

    /// <summary>How many writes are under way in all.</summary>
    public int Outstanding => Sessions * Each;

    /// <summary>Reads what a user wrote, as blocking:8, awaited:8x64 or batches:8x64; false when it is none.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out WriteShape? shape)
    {
        shape = null;
        string[] parts = text.Split(':');
        if (parts.Length != 2 || !EnumNames.TryParse(parts[0], out WriteForm form))
            return false;
        string[] counts = parts[1].Split('x');
        if (counts.Length != (form == WriteForm.Blocking ? 1 : 2) || !TryParseCount(counts[0], out int sessions))
            return false;
        int each = 1;
        if (counts.Length == 2 && !TryParseCount(counts[1], out each))
            return false;
        shape = new WriteShape(form, sessions, each);
        return true;
    }

    /// <summary>As a user writes it.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{EnumNames.Of(Form)}:{Sessions}{(Form == WriteForm.Blocking ? "" : "x" + Each)}");

    private static bool TryParseCount(string text, out int count) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out count) && count is >= 1 and <= Most;
}
