namespace Faster.DurableTask.Records;

/// <summary>The version of the format, which is the first byte of each record.</summary>
internal static class RecordFormat
{
    /// <summary>The version that this build writes, and the newest that it reads.</summary>
    public const byte Current = 1;

    /// <summary>Throws if a record has another format.</summary>
    /// <param name="format">The record's first byte.</param>
    /// <exception cref="FasterException">A newer version wrote it, or the bytes are no record.</exception>
    public static void Check(byte format)
    {
        if (format == Current) return;
        throw new FasterException(ErrorReason.RecordFormat, format > Current
            ? $"A record has format {format}, and this version of Faster.DurableTask reads formats up to {Current}: "
                + "a newer version has written it. Open the hub with that version."
            : $"A record begins with {format}, which is no format.");
    }
}
