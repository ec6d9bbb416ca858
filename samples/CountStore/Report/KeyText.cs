using System.Globalization;
using System.Text;
using CountStore.Input;

namespace CountStore.Report;

/// <summary>Writes keys for people.</summary>
internal static class KeyText
{
    /// <summary>A key as text; bytes that are no UTF-8, and control characters, show as «�».</summary>
    public static string Of(byte[] key, InputFormat format)
    {
        if (format.IsNumber) return BitConverter.ToUInt64(key).ToString(CultureInfo.InvariantCulture);
        char[] text = Encoding.UTF8.GetChars(key);
        foreach (ref char character in text.AsSpan())
        {
            if (char.IsControl(character)) character = '\uFFFD';
        }

        return new string(text);
    }
}
