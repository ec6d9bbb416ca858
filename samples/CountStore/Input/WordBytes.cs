namespace CountStore.Input;

/// <summary>Which bytes make words.</summary>
internal static class WordBytes
{
    private static readonly byte[] Letters = MakeLetters();

    /// <summary>The byte in lower case if words contain it, or 0.</summary>
    public static byte LowerLetter(byte value) => Letters[value];

    /// <summary>Whether the byte belongs to a word when letters stand on both sides of it.</summary>
    public static bool IsJoint(byte value) => value is (byte)'.' or (byte)'\'';

    private static byte[] MakeLetters()
    {
        byte[] letters = new byte[256];
        for (int value = 0; value < 256; value++)
        {
            char character = (char)value;
            if (char.IsAsciiLetterOrDigit(character)) letters[value] = (byte)char.ToLowerInvariant(character);
            else if (character is '_' or '`' || value >= 0x80) letters[value] = (byte)value;
        }

        return letters;
    }
}
