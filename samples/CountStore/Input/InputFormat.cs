using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace CountStore.Input;

/// <summary>How a file is cut into keys. The formats are the values of this class; csv has a column besides.</summary>
internal sealed record InputFormat
{
    /// <summary>For messages.</summary>
    public const string Choices = "u32le, u32be, u64be, lines, words or csv:COLUMN";

    private readonly Func<KeyParser> _start;

    private InputFormat(string name, bool isNumber, Func<KeyParser> start) =>
        (Name, IsNumber, _start) = (name, isNumber, start);

    /// <summary>Unsigned 32-bit numbers, the lowest byte first.</summary>
    public static InputFormat U32LittleEndian { get; } = new(
        "u32le", true, () => new NumberParser(4, bigEndian: false));

    /// <summary>Unsigned 32-bit numbers, the highest byte first.</summary>
    public static InputFormat U32BigEndian { get; } = new("u32be", true, () => new NumberParser(4, bigEndian: true));

    /// <summary>Unsigned 64-bit numbers, the highest byte first.</summary>
    public static InputFormat U64BigEndian { get; } = new("u64be", true, () => new NumberParser(8, bigEndian: true));

    /// <summary>Lines of text.</summary>
    public static InputFormat Lines { get; } = new("lines", false, () => new LineParser());

    /// <summary>Words of plain text.</summary>
    public static InputFormat Words { get; } = new("words", false, () => new WordParser(WordSyntax.PlainText, 1));

    /// <summary>Words of XML documentation and phrases of two and three words.</summary>
    public static InputFormat XmlPhrases { get; } = new("xml", false, () => new WordParser(WordSyntax.Xml, 3));

    /// <summary>The format as it is written on the command line.</summary>
    public string Name { get; }

    /// <summary>Whether keys are 64-bit numbers, in the machine's byte order, rather than text.</summary>
    public bool IsNumber { get; }

    /// <summary>One column of a file of comma-separated values.</summary>
    /// <param name="column">A name in the header line, or a number from 1 for files without a header line.</param>
    public static InputFormat Csv(string column) => new("csv:" + column, false, () => new CsvParser(column));

    /// <summary>Reads a format's name.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out InputFormat? format)
    {
        const string csv = "csv:";
        format = text switch
        {
            "u32le" => U32LittleEndian,
            "u32be" => U32BigEndian,
            "u64be" => U64BigEndian,
            "lines" => Lines,
            "words" => Words,
            _ when text.StartsWith(csv, StringComparison.Ordinal) && IsColumn(text[csv.Length..]) =>
                Csv(text[csv.Length..]),
            _ => null,
        };
        return format is not null;
    }

    /// <summary>A parser at the start of an input.</summary>
    public KeyParser StartParser() => _start();

    private static bool IsColumn(string column) => column.Length > 0
        && (!long.TryParse(column, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number)
            || number is > 0 and <= CsvParser.MaxColumns);
}
